import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adoptClone } from './adopt-clone.ts';
import { runCreationHook } from './hooks.ts';
import { type PrepareInput, prepareWorkspace } from './prepare-workspace.ts';
import { type ServedMirror, serveMirror } from './mirror/serve-mirror.ts';
import { takeSnapshot } from './objects/snapshot.ts';
import { runAsProcess } from './testing/run-as-process.ts';
import {
  makeWorkspaceFixture,
  testIdentity,
  type WorkspaceFixture,
} from './testing/workspace-fixture.ts';
import type { PreparedWorkspace } from './workspace.ts';

/** Whose hook names the repository as people know it. */
const ADDRESS = 'https://code.example/acme/shop';

describe('a hook that clones into the workspace', () => {
  let fixture: WorkspaceFixture;
  beforeEach(async () => {
    fixture = await makeWorkspaceFixture();
  });
  afterEach(() => fixture.dispose());

  const prepare = (change: Partial<PrepareInput> = {}): Promise<PreparedWorkspace> =>
    prepareWorkspace(fixture.workspaces, {
      issue: { identifier: 'SY-1', title: 'x' },
      source: fixture.source,
      identity: testIdentity,
      hasCreationHook: true,
      hookClones: true,
      nowMs: 1,
      ...change,
    });
  const served = async (
    workspace: PreparedWorkspace,
    use: (mirror: ServedMirror) => Promise<void>,
    url = ADDRESS,
  ) => {
    const mirror = await serveMirror(fixture.workspaces, workspace, url);
    // Nothing but the mirror is there to clone from.
    await rename(fixture.remotePath, `${fixture.remotePath}.away`);
    try {
      await use(mirror);
    } finally {
      await rename(`${fixture.remotePath}.away`, fixture.remotePath);
      await mirror.remove();
    }
  };
  const create = async (script: string, change: Partial<PrepareInput> = {}) => {
    const workspace = await prepare(change);
    const run = runAsProcess(workspace.path);
    const toClone = workspace.toClone ?? { startCommit: '' };
    await served(workspace, async ({ env }) => {
      await runCreationHook(fixture.workspaces, run, {
        workspace,
        script,
        timeoutMs: 20_000,
        env,
        adopt: () =>
          adoptClone(run, {
            workspace: { ...workspace, toClone },
            repositoryUrl: ADDRESS,
            identity: testIdentity,
          }),
      });
    });
    return workspace;
  };
  const gitIn = (path: string, ...args: string[]) => fixture.git(path, ...args).trim();

  it('finds it empty, and gets a clone like our own, however it was cloned', async () => {
    await fixture.commitOnRemote('main', { 'more.txt': 'x' });
    await fixture.commitOnRemote('other', { 'other.txt': 'x' });
    const made = await prepare();
    expect(await readdir(made.path)).toEqual([]);
    const workspace = await create(`git clone --depth 1 ${ADDRESS} .\necho built > built.txt`);
    const git = (...args: string[]) => gitIn(workspace.path, ...args);
    expect(git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${workspace.branch}`);
    expect(git('rev-parse', 'HEAD')).toBe(workspace.baseCommit);
    expect(git('config', 'remote.origin.url')).toBe(ADDRESS);
    expect(git('config', 'user.email')).toBe(testIdentity.email);
    expect(git('rev-list', '--count', 'HEAD')).toBe('2');
    expect(git('for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      'refs/heads/main',
      `refs/heads/${workspace.branch}`,
      'refs/remotes/origin/main',
    ]);
    expect(git('status', '--porcelain')).toBe('?? built.txt');
    expect(await prepare()).toMatchObject({ created: false, path: workspace.path });
    gitIn(workspace.path, 'commit', '-q', '--allow-empty', '-m', 'mine');
    const taken = await takeSnapshot(fixture.workspaces, runAsProcess(workspace.path), {
      workspace,
      attemptId: 'att-1',
      identity: testIdentity,
      message: 'SY-1: x',
      agentStopped: true,
    });
    expect(taken).toMatchObject({ problems: [], aside: [], unclear: false });
    expect(taken.diff).toContain('built.txt');
  });

  it('goes on with earlier work', async () => {
    const start = await fixture.commitOnRemote('switchyard/sy-1', { 'work.txt': 'earlier' });
    const workspace = await create(`git clone -q ${ADDRESS}.git .`, { startCommit: start });
    expect(gitIn(workspace.path, 'rev-parse', 'HEAD')).toBe(start);
    expect(await readFile(join(workspace.path, 'work.txt'), 'utf8')).toBe('earlier');
  });

  it.each([
    ['true', 'left no clone in the workspace'],
    ['git clone -q https://code.example/acme/shop x && mv x/.git hidden', 'left no clone'],
    ['git init -q . && git remote add origin https://code.example/acme/else', 'another repository'],
    [`git init -q . && git remote add origin ${ADDRESS}`, 'does not contain main'],
    [
      `git clone -q ${ADDRESS} . && git checkout -q --orphan x && git -c user.name=x -c user.email=x@y commit -qm x`,
      'does not contain main',
    ],
    ['git clone -q https://code.example/acme/shop-else .', 'exit code 128'],
    [`ln -s /etc .git`, 'left no clone'],
  ])('is a failure with its name after %j', async (script, words) => {
    await expect(create(script)).rejects.toMatchObject({
      code: 'hook_failed',
      message: expect.stringContaining(words),
    });
    expect(existsSync((await prepare()).path)).toBe(true);
  });

  it('reaches the repository under every address of it, and no other by it', async () => {
    const workspace = await prepare();
    await served(workspace, async ({ env, path }) => {
      const resolved = (address: string) =>
        spawnSync('git', ['ls-remote', '--get-url', address], {
          env: { ...env, PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
          encoding: 'utf8',
        }).stdout.trim();
      const own = ['', '.git', '/'].map((end) => ADDRESS + end);
      const others = ['ssh://git@code.example/acme/shop.git', 'git@code.example:acme/shop'];
      for (const address of [...own, ...others]) {
        expect(resolved(address).replace(/\/$/, ''), address).toBe(path);
      }
      for (const end of ['s', '-else', '.github', '.gitx', '_2.git']) {
        expect(resolved(ADDRESS + end)).toBe(ADDRESS + end);
      }
      const refs = spawnSync('git', ['ls-remote', path], {
        env: { ...env, PATH: process.env['PATH'] ?? '' },
        encoding: 'utf8',
      });
      expect(refs.stdout).toContain('refs/heads/main');
      expect(refs.stdout).not.toContain('refs/switchyard');
    });
    expect(await readdir(fixture.workspaces.paths.temporary)).toEqual([]);
  });
});
