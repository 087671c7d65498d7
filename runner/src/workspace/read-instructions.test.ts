import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readInstructions } from './read-instructions.ts';

describe('what a repository tells agents', () => {
  const names = ['AGENTS.override.md', 'AGENTS.md'];
  let folder: string;
  let workspace: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-instructions-'));
    workspace = join(folder, 'workspace');
    await mkdir(workspace);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is in the first of the files that says something', async () => {
    expect(await readInstructions(workspace, names)).toBeNull();
    await writeFile(join(workspace, 'AGENTS.md'), 'Use tabs.\n');
    await writeFile(join(workspace, 'AGENTS.override.md'), '\n');
    expect(await readInstructions(workspace, names)).toBe('Use tabs.\n');
  });

  it('may stand behind a link, but not outside the workspace', async () => {
    await writeFile(join(workspace, 'CONTRIBUTING.md'), 'Use tabs.\n');
    await symlink('CONTRIBUTING.md', join(workspace, 'AGENTS.md'));
    expect(await readInstructions(workspace, names)).toBe('Use tabs.\n');
    await writeFile(join(folder, 'host-file'), 'of the host');
    await symlink('../host-file', join(workspace, 'AGENTS.override.md'));
    expect(await readInstructions(workspace, names)).toBe('Use tabs.\n');
  });

  it('is bounded, and never waits for a pipe', async () => {
    execFileSync('mkfifo', [join(workspace, 'AGENTS.override.md')]);
    await writeFile(join(workspace, 'AGENTS.md'), 'x'.repeat(100_000));
    expect((await readInstructions(workspace, names))?.length).toBe(32 * 1024);
    await writeFile(join(workspace, 'AGENTS.md'), `x${'😀'.repeat(10_000)}`);
    expect(await readInstructions(workspace, names)).toBe(`x${'😀'.repeat(8 * 1024 - 1)}`);
  });
});
