import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chown,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkIdentity } from '../container/container-engine.ts';
import type { PrepareInput } from './prepare-workspace.ts';
import { prepareWorkspace } from './prepare-workspace.ts';
import { takeSnapshot } from './objects/snapshot.ts';
import { runAsProcess } from './testing/run-as-process.ts';
import type { WorkspaceFixture } from './testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from './testing/workspace-fixture.ts';
import type { PreparedWorkspace } from './workspace.ts';

let fixture: WorkspaceFixture;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
});
afterEach(() => fixture.dispose());

const prepare = (change: Partial<PrepareInput> = {}): Promise<PreparedWorkspace> =>
  prepareWorkspace(fixture.workspaces, {
    issue: { identifier: 'SY-1', title: 'Fix the thing' },
    source: fixture.source,
    identity: testIdentity,
    nowMs: 1,
    ...change,
  });

describe('prepareWorkspace', () => {
  it('makes a clone with its own .git on a branch of its own', async () => {
    const workspace = await prepare();
    expect(workspace).toMatchObject({
      branch: 'switchyard/sy-1-fix-the-thing',
      baseBranch: 'main',
      created: true,
    });
    const git = (...args: string[]): string => fixture.git(workspace.path, ...args).trim();
    expect(git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${workspace.branch}`);
    expect(git('rev-parse', 'HEAD')).toBe(workspace.baseCommit);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('config', 'user.email')).toBe('sam@example.test');
    expect(git('config', 'remote.origin.url')).toBe(fixture.source.url);
    expect(existsSync(join(workspace.path, '.git/hooks'))).toBe(false);
    const alternates = await readFile(join(workspace.path, '.git/objects/info/alternates'), 'utf8');
    expect(alternates).toBe(`${workspace.objectsPath}\n`);
    expect(fixture.git(workspace.mirrorPath, 'rev-parse', 'refs/switchyard/base/SY-1').trim()).toBe(
      workspace.baseCommit,
    );
    expect(await readdir(fixture.workspaces.paths.temporary)).toEqual([]);
  });

  it('goes on in an existing workspace with its first base, also when the remote is away', async () => {
    const first = await prepare();
    await writeFile(join(first.path, 'unfinished.txt'), 'x');
    await fixture.commitOnRemote('main', { 'later.txt': 'x' });
    await rename(fixture.remotePath, `${fixture.remotePath}.away`);
    const second = await prepare({ issue: { identifier: 'SY-1', title: 'A new title' } });
    expect(second).toEqual({ ...first, created: false });
    expect(existsSync(join(first.path, 'unfinished.txt'))).toBe(true);
  });

  it('continues from the commit of an earlier attempt when the workspace is gone', async () => {
    const base = fixture.git(fixture.remotePath, 'rev-parse', 'main').trim();
    const work = await fixture.commitOnRemote('switchyard/sy-1', { 'w.txt': 'w' });
    await fixture.commitOnRemote('main', { 'later.txt': 'x' });
    const workspace = await prepare({ startCommit: work, branch: 'switchyard/sy-1' });
    expect(workspace).toMatchObject({ baseCommit: base, branch: 'switchyard/sy-1' });
    expect(existsSync(join(workspace.path, 'w.txt'))).toBe(true);
    const lost = await prepare({
      issue: { identifier: 'SY-2', title: 'x' },
      startCommit: 'f'.repeat(40),
    });
    expect(existsSync(join(lost.path, 'later.txt'))).toBe(true);
  });

  it('follows a base branch that the route names later', async () => {
    const first = await prepare();
    await writeFile(join(first.path, 'unfinished.txt'), 'x');
    await fixture.commitOnRemote('develop', { 'd.txt': 'd' });
    const source = { ...fixture.source, defaultBranch: 'develop' };
    const second = await prepare({ source });
    expect(second).toEqual({ ...first, created: false, baseBranch: 'develop' });
    expect(existsSync(join(first.path, 'unfinished.txt'))).toBe(true);
    expect(await prepare()).toEqual(second);
    await expect(prepare({ source: { ...source, defaultBranch: 'nope' } })).rejects.toThrow(
      /no branch nope/,
    );
  });

  it('begins anew when the repository changed or .git is gone', async () => {
    const first = await prepare();
    await rm(join(first.path, '.git'), { recursive: true });
    expect((await prepare()).created).toBe(true);
    fixture.git(fixture.folder, 'clone', '-q', '--bare', fixture.remotePath, 'moved.git');
    const moved = await prepare({ source: { url: `file://${fixture.folder}/moved.git` } });
    expect(moved.created).toBe(true);
    expect(moved.mirrorPath).not.toBe(first.mirrorPath);
  });

  it('begins anew for another issue that has the name since, and has the name that it is given', async () => {
    const issue = { identifier: 'SY-1', title: 'Fix it' };
    const first = await prepare({ issue: { ...issue, id: 'iss_1' } });
    await writeFile(join(first.path, 'unfinished.txt'), 'x');
    expect((await prepare({ issue: { ...issue, id: 'iss_1' } })).created).toBe(false);
    const other = await prepare({ issue: { ...issue, id: 'iss_2' }, key: 'sy-1--2' });
    expect(other).toMatchObject({ created: true, path: expect.stringMatching(/\/sy-1--2$/) });
    expect(existsSync(join(first.path, 'unfinished.txt'))).toBe(true);
    expect((await prepare({ issue: { ...issue, id: 'iss_2' } })).created).toBe(true);
    expect(existsSync(join(first.path, 'unfinished.txt'))).toBe(false);
  });

  it('keeps hostile identifiers inside the root', async () => {
    for (const identifier of ['../../escape', '..', 'a/b', '-rf', 'x\ny']) {
      const workspace = await prepare({ issue: { identifier, title: '$(touch pwned)\n"\u202E' } });
      expect(join(workspace.path, '..')).toBe(fixture.workspaces.paths.workspaces);
    }
    expect(await readdir(fixture.workspaces.paths.root)).toHaveLength(5);
  });

  it('refuses a planted symlink, a file, and a folder it did not make', async () => {
    const place = join(fixture.workspaces.paths.workspaces, 'SY-1');
    await mkdir(join(fixture.folder, 'outside'));
    await symlink(join(fixture.folder, 'outside'), place);
    await expect(prepare()).rejects.toMatchObject({ code: 'workspace_escape' });
    expect(await readdir(join(fixture.folder, 'outside'))).toEqual([]);
    await rm(place);
    await writeFile(place, '');
    await expect(prepare()).rejects.toMatchObject({ code: 'workspace_escape' });
    await rm(place);
    await mkdir(place);
    await expect(prepare()).rejects.toMatchObject({ code: 'workspace_foreign' });
  });

  it('refuses branches outside switchyard/', async () => {
    await expect(prepare({ branch: 'main' })).rejects.toMatchObject({ code: 'branch_refused' });
    await expect(prepare({ branch: 'switchyard/a..b' })).rejects.toMatchObject({
      code: 'branch_refused',
    });
  });

  it('checks out a tree with attributes and symlinks without running or following anything', async () => {
    const author = join(fixture.folder, 'author');
    await symlink('/etc', join(author, 'etc'));
    await fixture.commitOnRemote('main', {
      '.gitattributes': '* filter=lfs text eol=crlf\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ./x\n',
    });
    const workspace = await prepare();
    expect((await lstat(join(workspace.path, 'etc'))).isSymbolicLink()).toBe(true);
  });

  it('keeps what a workspace borrowed through a rewrite of the remote and a prune of the mirror', async () => {
    const workspace = await prepare();
    const author = join(fixture.folder, 'author');
    fixture.git(author, 'checkout', '-q', '--orphan', 'new');
    fixture.git(author, 'commit', '-qm', 'rewritten');
    fixture.git(author, 'push', '-qf', 'origin', 'new:main');
    await prepare({ issue: { identifier: 'SY-2', title: 'x' } });
    fixture.git(workspace.mirrorPath, 'gc', '-q', '--prune=now');
    expect(() => fixture.git(workspace.path, 'fsck', '--connectivity-only')).not.toThrow();
    await writeFile(join(workspace.path, 'x.txt'), 'x\n');
    const taken = await takeSnapshot(fixture.workspaces, runAsProcess(workspace.path), {
      workspace,
      attemptId: 'a',
      identity: testIdentity,
      message: 'm',
      agentStopped: true,
    });
    expect(taken.diffStat.files).toBe(1);
  });
});

describe.skipIf(process.getuid?.() !== 0)('with another uid inside', () => {
  it('gives the clone to it; the mirror stays ours and only has to be readable', async () => {
    await fixture.dispose();
    const umask = process.umask(0o077);
    try {
      fixture = await makeWorkspaceFixture({ workIdentity: { uid: 12345, gid: 12345 } });
      const workspace = await prepare();
      await writeFile(join(workspace.path, 'README.md'), 'changed\n');
      // A container mounts the two folders; outside one, the way to them must be open too.
      for (const path of [fixture.folder, fixture.workspaces.paths.root, workspace.mirrorPath])
        spawnSync('chmod', ['711', path]);
      expect((await lstat(join(workspace.path, '.git/HEAD'))).uid).toBe(12345);
      expect((await lstat(workspace.objectsPath)).uid).toBe(0);
      const taken = await takeSnapshot(
        fixture.workspaces,
        runAsProcess(workspace.path, { uid: 12345 }),
        {
          workspace,
          attemptId: 'a',
          identity: testIdentity,
          message: 'm',
          agentStopped: true,
        },
      );
      expect(taken.diffStat).toEqual({ files: 1, insertions: 1, deletions: 1 });
      const status = spawnSync(
        'setpriv',
        ['--reuid=12345', '--regid=12345', '--clear-groups', 'git', 'log', '--oneline'],
        {
          cwd: workspace.path,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
        },
      );
      expect(status).toMatchObject({ status: 0, stderr: '' });
      expect((await prepare()).created).toBe(false);
    } finally {
      process.umask(umask);
    }
  });

  it('is given to whom it is for each time: in a container, as a process, and back', async () => {
    const inside = { uid: 12345, gid: 12345 };
    const outside = { uid: 0, gid: 0 };
    const prepareFor = (owner: WorkIdentity) =>
      prepareWorkspace(fixture.workspaces, {
        issue: { identifier: 'SY-1', title: 'Fix it' },
        source: fixture.source,
        identity: testIdentity,
        nowMs: 1,
        owner,
      });
    const { path } = await prepareFor(inside);
    const written = join(path, 'src/written.txt');
    // An agent that ran as a process of an earlier version, which owned nothing.
    await writeFile(written, 'x\n', { mode: 0o600 });
    const record = join(fixture.workspaces.paths.records, 'SY-1.json');
    const { owner: _owner, ...former } = JSON.parse(await readFile(record, 'utf8'));
    await writeFile(record, JSON.stringify(former));
    const owners = async () =>
      Promise.all(
        [path, written, join(path, '.git/HEAD')].map(async (at) => (await lstat(at)).uid),
      );
    await prepareFor(inside);
    expect(await owners()).toEqual([12345, 12345, 12345]);
    await prepareFor(outside);
    expect(await owners()).toEqual([0, 0, 0]);
    // The folder's own owner says nothing of what an agent made in it.
    await chown(path, 12345, 12345);
    await prepareFor(inside);
    expect(await owners()).toEqual([12345, 12345, 12345]);
  });

  it('goes on in one of an earlier version that is nested too deep, and walks no longer than it must', async () => {
    const owner = { uid: 12345, gid: 12345 };
    const { path } = await prepare({ owner });
    const record = join(fixture.workspaces.paths.records, 'SY-1.json');
    const { owner: _owner, ...former } = JSON.parse(await readFile(record, 'utf8'));
    await writeFile(record, JSON.stringify(former));
    const signal = AbortSignal.abort();
    await expect(prepare({ owner, signal })).rejects.toMatchObject({ code: 'workspace_unusable' });
    await mkdir(join(path, ...Array<string>(140).fill('d')), { recursive: true });
    expect(await prepare({ owner })).toMatchObject({ created: false });
    expect((await lstat(join(path, 'd/d'))).uid).toBe(owner.uid);
  });
});
