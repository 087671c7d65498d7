import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookName } from './hooks.ts';
import { runCreationHook, runHook } from './hooks.ts';
import { prepareWorkspace } from './prepare-workspace.ts';
import { latePid } from './testing/late-pid.ts';
import { runAsProcess } from './testing/run-as-process.ts';
import type { WorkspaceFixture } from './testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from './testing/workspace-fixture.ts';
import type { PreparedWorkspace } from './workspace.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;
const prepare = (): Promise<PreparedWorkspace> =>
  prepareWorkspace(fixture.workspaces, {
    issue: { identifier: 'SY-1', title: 'x' },
    source: fixture.source,
    identity: testIdentity,
    hasCreationHook: true,
    nowMs: 1,
  });

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepare();
});
afterEach(() => fixture.dispose());

const hook = (name: HookName, script: string, timeoutMs = 5_000) =>
  runHook(runAsProcess(workspace.path), { name, script, timeoutMs });

describe('runHook', () => {
  it('runs the text as a shell script in the workspace', async () => {
    const result = await hook(
      'before_run',
      'cat README.md > copy; for i in 1 2; do echo "$i"; done; echo err >&2',
    );
    expect(result).toEqual({ ok: true, output: '1\n2\n\nerr', failure: null });
    expect(await readFile(join(workspace.path, 'copy'), 'utf8')).toBe('hello\n');
  });

  it.each(['after_create', 'before_run'] as const)(
    '%s ends the attempt when it fails',
    async (name) => {
      await expect(hook(name, 'echo why >&2; exit 3')).rejects.toMatchObject({
        code: 'hook_failed',
        message: `hook ${name} ended with exit code 3: why`,
      });
    },
  );

  it.each(['after_run', 'before_remove'] as const)('%s only reports its failure', async (name) => {
    expect(await hook(name, 'exit 3')).toMatchObject({
      ok: false,
      failure: 'ended with exit code 3',
    });
    expect(await hook(name, 'sleep 300', 300)).toMatchObject({
      ok: false,
      failure: expect.stringContaining('300 ms'),
    });
  });

  it('ends a hook that takes too long, with all it started', async () => {
    const late = join(fixture.folder, 'pid');
    const script = `sleep 300 & echo $! > ${late}; wait`;
    const pid = await latePid(late, (timeoutMs) =>
      expect(hook('before_run', script, timeoutMs)).rejects.toMatchObject({ code: 'hook_timeout' }),
    );
    await expect.poll(() => existsSync(`/proc/${pid}/fd/0`)).toBe(false);
  });

  it('keeps the last 2 KiB of what it prints', async () => {
    const { output } = await hook(
      'before_run',
      'for i in $(seq 1 2000); do printf "ä%s " "$i"; done',
    );
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(2_048);
    expect(output.endsWith('ä2000')).toBe(true);
    expect(output).not.toContain('\uFFFD');
  });
});

describe('runCreationHook', () => {
  const create = (script: string) =>
    runCreationHook(fixture.workspaces, runAsProcess(workspace.path), {
      workspace,
      script,
      timeoutMs: 5_000,
    });

  it('counts the workspace as made only after success', async () => {
    expect((await prepare()).created).toBe(true);
    await create('touch made');
    expect((await prepare()).created).toBe(false);
    expect(existsSync(join(workspace.path, 'made'))).toBe(true);
  });

  it('takes the workspace away when it fails', async () => {
    await expect(create('touch made; exit 1')).rejects.toMatchObject({ code: 'hook_failed' });
    expect(existsSync(workspace.path)).toBe(false);
    expect((await prepare()).created).toBe(true);
    expect(existsSync(join(workspace.path, 'made'))).toBe(false);
  });
});
