import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HandmadeBundle, treeBomb } from '../testing/handmade-bundle.ts';
import { runAsProcess } from '../testing/run-as-process.ts';
import {
  makeWorkspaceFixture,
  prepareFor,
  testIdentity,
  type WorkspaceFixture,
} from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace, Snapshot } from '../workspace.ts';
import { takeSnapshot } from './snapshot.ts';

const CONFLICT = 'one\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\nthree\n';
let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepareFor(fixture);
});
afterEach(() => fixture.dispose());

const git = (...args: string[]) => fixture.git(workspace.path, ...args).trim();
const snapshot = (env: Record<string, string> = {}): Promise<Snapshot> =>
  takeSnapshot(fixture.workspaces, runAsProcess(workspace.path, { env }), {
    workspace,
    attemptId: 'att-1',
    identity: testIdentity,
    message: 'SY-1: Fix it',
    agentStopped: true,
    timeoutMs: 45_000,
  });
/** Real git, found first, that does something before. Answers the environment for it. */
async function gitAfter(script: string): Promise<Record<string, string>> {
  const bin = join(fixture.folder, 'bin');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  await mkdir(bin);
  await writeFile(join(bin, 'git'), `#!/bin/sh\n${script}\nexec ${real} "$@"\n`);
  await chmod(join(bin, 'git'), 0o755);
  return { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
}

it('compares no files before it is known how many there are', { timeout: 60_000 }, async () => {
  const bundle = new HandmadeBundle();
  const ref = 'refs/heads/other';
  const commit = bundle.commit(treeBomb(bundle, 10), [workspace.baseCommit]);
  await bundle.write(join(fixture.folder, 'bomb.bundle'), { commit, ref });
  git('fetch', '-q', join(fixture.folder, 'bomb.bundle'), `${ref}:${ref}`);
  await expect(snapshot()).rejects.toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining('files and folders'),
  });
});

it('reads the files under the limits of all git on objects of strangers', async () => {
  const seen = join(fixture.folder, 'seen');
  await writeFile(join(workspace.path, 'a.txt'), CONFLICT);
  const limits = 'echo "$(ulimit -d) $(ulimit -t) $(ulimit -f)"';
  const env = await gitAfter(`case "$*" in *" --check "*|*" -G "*) ${limits} >>${seen} ;; esac`);
  expect((await snapshot(env)).problems).toMatchObject([
    { rule: 'conflict_marker', path: 'a.txt', line: 2 },
  ]);
  const lines = (await readFile(seen, 'utf8')).trim().split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/^\d+ \d+ \d+$/);
});

it('takes no work whose files could not be read', async () => {
  await writeFile(join(workspace.path, 'a.txt'), CONFLICT);
  const words = 'fatal: Out of memory, malloc failed';
  const env = await gitAfter(`case "$*" in *" --check "*) echo "${words}" >&2; exit 128 ;; esac`);
  await expect(snapshot(env)).rejects.toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining('MiB of memory'),
  });
});

it('asks nothing of the workspace where no line looks like a marker', async () => {
  await writeFile(join(workspace.path, 'a.txt'), 'one\n');
  const run = runAsProcess(workspace.path);
  const input = { workspace, attemptId: 'att-1', identity: testIdentity, message: 'SY-1: Fix it' };
  await takeSnapshot(fixture.workspaces, run, { ...input, agentStopped: true });
  expect(run.calls.map(({ purpose }) => purpose)).toEqual(['snapshot']);
});
