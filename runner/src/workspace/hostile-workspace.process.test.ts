import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importBundle } from './objects/import-bundle.ts';
import { prepareWorkspace } from './prepare-workspace.ts';
import { removeWorkspace } from './remove-workspace.ts';
import { takeSnapshot } from './objects/snapshot.ts';
import { runAsProcess } from './testing/run-as-process.ts';
import type { WorkspaceFixture } from './testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from './testing/workspace-fixture.ts';
import type { PreparedWorkspace, RunInWorkspace } from './workspace.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;
let marker: string;

const prepare = (): Promise<PreparedWorkspace> =>
  prepareWorkspace(fixture.workspaces, {
    issue: { identifier: 'SY-1', title: 'Fix it' },
    source: fixture.source,
    identity: testIdentity,
    nowMs: 1,
  });

/** Everything of the agent's that git could be talked into running writes where it ran. */
async function plantTraps(): Promise<void> {
  marker = join(fixture.folder, 'ran');
  const trap = join(workspace.path, 'trap.sh');
  await writeFile(trap, `#!/bin/sh\necho "\${SIDE:-host} $*" >> ${marker}\ncat\n`);
  await chmod(trap, 0o755);
  const nested = join(workspace.path, 'nested');
  await mkdir(nested);
  fixture.git(nested, 'init', '-q');
  fixture.git(nested, 'commit', '-q', '--allow-empty', '-m', 'x');
  await writeFile(join(nested, '.gitattributes'), '* filter=trap\n');
  await writeFile(join(nested, 'file'), 'x\n');
  await writeFile(
    join(workspace.path, '.gitattributes'),
    '*.txt filter=trap diff=trap merge=trap\n',
  );
  await writeFile(join(workspace.path, 'new.txt'), 'new\n');
  const declared = '[submodule "n"]\n\tpath = nested\n\turl = ./nested\n';
  await writeFile(join(workspace.path, '.gitmodules'), declared);
  for (const folder of [nested, workspace.path]) {
    for (const [name, value] of [
      ['filter.trap.clean', trap],
      ['filter.trap.smudge', trap],
      ['diff.trap.textconv', trap],
      ['diff.external', trap],
      ['core.fsmonitor', trap],
      ['core.sshCommand', trap],
      ['core.pager', trap],
      ['core.editor', trap],
      ['gpg.program', trap],
      ['commit.gpgSign', 'true'],
      ['core.hooksPath', workspace.path],
      ['uploadpack.packObjectsHook', trap],
      ['credential.helper', trap],
    ] as const) {
      fixture.git(folder, 'config', name, value);
    }
  }
  for (const hook of [
    'pre-commit',
    'post-commit',
    'reference-transaction',
    'post-checkout',
    'post-index-change',
  ]) {
    await writeFile(
      join(workspace.path, hook),
      `#!/bin/sh\necho "\${SIDE:-host} hook ${hook}" >> ${marker}\n`,
    );
    await chmod(join(workspace.path, hook), 0o755);
  }
}

const takeWith = (run: RunInWorkspace): ReturnType<typeof takeSnapshot> =>
  takeSnapshot(fixture.workspaces, run, {
    workspace,
    attemptId: 'att-1',
    identity: testIdentity,
    message: 'work',
    agentStopped: true,
  });

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepare();
  await plantTraps();
});
afterEach(() => fixture.dispose());

async function ran(): Promise<string> {
  return existsSync(marker) ? readFile(marker, 'utf8') : '';
}

describe('a workspace full of traps', () => {
  it('runs nothing on the host when its container does nothing', async () => {
    const recorded: string[] = [];
    const run: RunInWorkspace = (command) => {
      recorded.push(command.purpose);
      return Promise.resolve({
        exitCode: 20,
        stdout: '',
        stderr: '',
        timedOut: false,
        outputExceeded: false,
      });
    };
    expect((await takeWith(run)).commitSha).toBeNull();
    expect((await prepare()).created).toBe(false);
    await removeWorkspace(fixture.workspaces, 'SY-1');
    expect(recorded).toEqual(['snapshot']);
    expect(await ran()).toBe('');
  });

  it('keeps what runs inside the isolation, without its hooks, fsmonitor or signing', async () => {
    const taken = await takeWith(runAsProcess(workspace.path, { env: { SIDE: 'inside' } }));
    expect(taken.diff).toContain('+new');
    const lines = (await ran()).split('\n').filter((line) => line !== '');
    expect(lines.every((line) => line.startsWith('inside '))).toBe(true);
    expect(lines.some((line) => line.includes('hook') || line.includes('fsmonitor'))).toBe(false);
    // The traps are real: plain git on the host would have walked into them.
    fixture.git(workspace.path, 'status');
    expect(await ran()).toMatch(/^host /m);
  });

  it('does not follow borrowed objects that the agent pointed elsewhere', async () => {
    const other = join(fixture.folder, 'other');
    fixture.git(fixture.folder, 'init', '-q', '-b', 'main', other);
    await fixture.write(join(other, 'private.txt'), 'private words\n');
    fixture.git(other, 'add', '-A');
    fixture.git(other, 'commit', '-qm', 'private');
    const secret = fixture.git(other, 'rev-parse', 'HEAD').trim();
    // The object exists on the host only: inside the isolation there is no such path.
    await writeFile(join(workspace.path, '.git/HEAD'), `${secret}\n`);
    await writeFile(
      join(workspace.path, '.git/objects/info/alternates'),
      `${workspace.objectsPath}\n${join(other, '.git/objects')}-unreachable\n`,
    );
    await expect(takeWith(runAsProcess(workspace.path))).rejects.toMatchObject({
      name: 'WorkspaceError',
    });
    expect(() => fixture.git(workspace.mirrorPath, 'cat-file', '-e', secret)).toThrow(secret);
  });

  it('refuses a bundle that is none', async () => {
    for (const text of [
      'garbage',
      '',
      '# v3 git bundle\n@object-format=sha1\n\n',
      '# v2 git bundle\n\nPACK',
    ]) {
      const run: RunInWorkspace = async (command) => {
        await writeFile(command.stdoutFile ?? '', text);
        return { exitCode: 0, stdout: '', stderr: '', timedOut: false, outputExceeded: false };
      };
      await expect(takeWith(run)).rejects.toMatchObject({ code: 'snapshot_refused' });
    }
  });
});

describe('importBundle', () => {
  const bundleOf = (commit: string): { bundlePath: string; sourceRef: string } => {
    const sourceRef = 'refs/switchyard/snapshot-x';
    const bundlePath = join(fixture.folder, 'x.bundle');
    fixture.git(workspace.path, '-c', 'core.hooksPath=/dev/null', 'update-ref', sourceRef, commit);
    fixture.git(
      workspace.path,
      'bundle',
      'create',
      '-q',
      bundlePath,
      `^${workspace.baseCommit}`,
      sourceRef,
    );
    return { bundlePath, sourceRef };
  };
  const input = ({ bundlePath, sourceRef }: { bundlePath: string; sourceRef: string }) => ({
    mirrorPath: workspace.mirrorPath,
    bundlePath,
    targetOf: (ref: string) => (ref === sourceRef ? 'refs/switchyard/attempts/evil' : null),
  });

  it('refuses a tree with a .git folder in it, which plain fetch would take', async () => {
    const object = (stdin: string, ...args: string[]): string =>
      execFileSync('git', args, { cwd: workspace.path, input: stdin, encoding: 'utf8' }).trim();
    const blob = object('evil', 'hash-object', '-w', '--stdin');
    const inner = object(`100644 blob ${blob}\tconfig\n`, 'mktree');
    const tree = object(`040000 tree ${inner}\t.git\n`, 'mktree');
    const commit = fixture
      .git(
        workspace.path,
        '-c',
        'commit.gpgSign=false',
        'commit-tree',
        '-m',
        'evil',
        '-p',
        workspace.baseCommit,
        tree,
      )
      .trim();
    await expect(importBundle(fixture.workspaces, input(bundleOf(commit)))).rejects.toThrow(
      /hasDotgit/,
    );
    expect(fixture.git(workspace.mirrorPath, 'for-each-ref', 'refs/switchyard/attempts')).toBe('');
  });

  it('refuses a bundle whose history is not complete', async () => {
    fixture.git(
      workspace.path,
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'commit.gpgSign=false',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'one',
    );
    const one = fixture.git(workspace.path, 'rev-parse', 'HEAD').trim();
    fixture.git(
      workspace.path,
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'commit.gpgSign=false',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'two',
    );
    const sourceRef = 'refs/heads/' + workspace.branch;
    const bundlePath = join(fixture.folder, 'y.bundle');
    fixture.git(workspace.path, 'bundle', 'create', '-q', bundlePath, `^${one}`, sourceRef);
    await expect(
      importBundle(fixture.workspaces, input({ bundlePath, sourceRef })),
    ).rejects.toMatchObject({ code: 'snapshot_refused' });
    expect(fixture.git(workspace.mirrorPath, 'for-each-ref', 'refs/switchyard/attempts')).toBe('');
  });
});
