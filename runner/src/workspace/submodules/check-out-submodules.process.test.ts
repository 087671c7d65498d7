import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectGarbage } from '../mirror/collect-garbage.ts';
import { takeSnapshot } from '../objects/snapshot.ts';
import { openWorkspaces, type Workspaces } from '../open-workspaces.ts';
import { type PrepareInput, prepareWorkspace } from '../prepare-workspace.ts';
import { removeWorkspace } from '../remove-workspace.ts';
import { type GitHost, startGitHost } from '../testing/git-host.ts';
import { runAsProcess } from '../testing/run-as-process.ts';
import { addSubmodules, commitAs, makeRepository } from '../testing/submodule-fixture.ts';
import { checkOutSubmodules } from './check-out-submodules.ts';
import { makeWorkspaceFixture, type WorkspaceFixture } from '../testing/workspace-fixture.ts';
import {
  readWorkspaceRecord,
  type WorkspaceRecord,
  writeWorkspaceRecord,
} from '../workspace-record.ts';
import { prepareFor, testIdentity } from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace } from '../workspace.ts';

let fixture: WorkspaceFixture;
let lib: string;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  lib = await makeRepository(fixture, 'lib', { 'lib.txt': 'lib\n' });
});
afterEach(() => fixture.dispose());

const textOf = (...names: string[]): Promise<string> => readFile(join(...names), 'utf8');
const issue = { identifier: 'SY-1', title: 'Fix it' };
const prepare = (
  workspaces: Workspaces,
  change: Partial<PrepareInput> & Pick<PrepareInput, 'source'>,
): Promise<PreparedWorkspace> =>
  prepareWorkspace(workspaces, { issue, identity: testIdentity, nowMs: 1, ...change });

describe('the submodules of a new workspace', () => {
  it('stand at their pointers, whatever they are called, and are no change', async () => {
    const older = lib;
    commitAs(fixture, 'lib');
    const submodules = ['lib', 'libs/a b', 'サブ'].map((path) => ({ path, url: '../lib.git' }));
    await addSubmodules(
      fixture,
      submodules.map((each) => ({ ...each, commit: older })),
    );
    const workspace = await prepareFor(fixture);
    expect(workspace.notices).toBeUndefined();
    for (const { path } of submodules) {
      expect(await textOf(workspace.path, path, 'lib.txt')).toBe('lib\n');
      const git = (...args: string[]) => fixture.git(join(workspace.path, path), ...args).trim();
      expect(git('rev-parse', 'HEAD')).toBe(older);
      expect(git('log', '--format=%H', 'origin/main').split('\n')).toHaveLength(2);
    }
    expect(fixture.git(workspace.path, 'status', '--porcelain')).toBe('');
    expect(fixture.git(workspace.path, 'submodule', 'status').split('\n')).toHaveLength(4);
    const taken = await takeSnapshot(fixture.workspaces, runAsProcess(workspace.path), {
      workspace,
      attemptId: 'a',
      identity: testIdentity,
      message: 'm',
      agentStopped: true,
    });
    expect(taken).toMatchObject({ commitSha: null, problems: [] });
  });

  it.skipIf(process.getuid?.() !== 0)('belong to the user of the containers', async () => {
    await makeRepository(fixture, 'outer', { 'outer.txt': 'outer\n' });
    const inner = [{ path: 'lib', url: '../lib.git', commit: lib }];
    const commit = await addSubmodules(fixture, inner, 'outer');
    await addSubmodules(fixture, [{ path: 'outer', url: '../outer.git', commit }]);
    const owner = { uid: 12_345, gid: 12_345 };
    const workspace = await prepare(fixture.workspaces, { source: fixture.source, owner });
    const others = [workspace.path, '!', '-uid', '12345'];
    expect(execFileSync('find', others, { encoding: 'utf8' })).toBe('');
    expect(existsSync(join(workspace.path, 'outer/lib/lib.txt'))).toBe(true);
  });

  it('have theirs, three deep', async () => {
    let commit = lib;
    for (const [name, inner] of [
      ['b', 'lib'],
      ['c', 'b'],
      ['d', 'c'],
    ] as const) {
      await makeRepository(fixture, name, { [`${name}.txt`]: name });
      commit = await addSubmodules(
        fixture,
        [{ path: inner, url: `../${inner}.git`, commit }],
        name,
      );
    }
    await addSubmodules(fixture, [{ path: 'd', url: './../d.git', commit }]);
    const workspace = await prepareFor(fixture);
    expect(existsSync(join(workspace.path, 'd/c/b/b.txt'))).toBe(true);
    expect(await readdir(join(workspace.path, 'd/c/b/lib'))).toEqual([]);
    expect(workspace.notices).toEqual([
      'The submodule d/c/b/lib was not checked out by the runner: submodules are nested more than 3 deep.',
    ]);
    expect(workspace.submoduleObjects).toHaveLength(3);
  });

  it('are named where they cannot be had, also when the workspace is used again', async () => {
    await addSubmodules(fixture, [
      { path: 'away', url: 'https://elsewhere.test/lib', commit: lib },
      { path: 'gone', url: '../gone.git', commit: lib },
      { path: 'lib', url: '../lib.git', commit: lib },
      { path: 'lost', url: '../lib.git', commit: 'd'.repeat(40) },
      { path: 'outside', url: 'file:///proc/lib', commit: lib },
    ]);
    const workspace = await prepareFor(fixture);
    expect(workspace.notices).toEqual([
      expect.stringMatching(
        /^The submodule away was not checked out by the runner: .*another host/,
      ) as string,
      expect.stringMatching(
        /^The submodule gone was not checked out by the runner: there is no repository/,
      ) as string,
      expect.stringMatching(
        /^The submodule lost was not .*does not have its commit d{40}\.$/,
      ) as string,
      expect.stringMatching(
        /^The submodule outside was not checked out by the runner: .*never a repository/,
      ) as string,
    ]);
    expect(existsSync(join(workspace.path, 'lib/lib.txt'))).toBe(true);
    expect(await prepareFor(fixture)).toEqual({ ...workspace, created: false });
  });

  it('come from where the merged .gitmodules says, never from where work says', async () => {
    const base = await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit: lib }]);
    const secret = await makeRepository(fixture, 'private', { 'secret.txt': 'secret\n' });
    const author = join(fixture.folder, 'author');
    fixture.git(author, 'checkout', '-q', '-b', 'switchyard/sy-1');
    fixture.git(author, 'update-index', '--cacheinfo', `160000,${secret},lib`);
    const text = '[submodule "s0"]\n\tpath = lib\n\turl = ../private.git\n';
    await fixture.write(join(author, '.gitmodules'), text);
    fixture.git(author, 'commit', '-qam', 'work');
    fixture.git(author, 'push', '-q', 'origin', 'switchyard/sy-1');
    const startCommit = fixture.git(author, 'rev-parse', 'HEAD').trim();
    const workspace = await prepare(fixture.workspaces, { source: fixture.source, startCommit });
    expect(workspace.baseCommit).toBe(base);
    expect(await readdir(join(workspace.path, 'lib'))).toEqual([]);
    expect(workspace.notices).toEqual([expect.stringContaining('does not have its commit')]);
  });

  it('are named where there is no time left, and work begins without them', async () => {
    const baseCommit = await addSubmodules(fixture, [
      { path: 'lib', url: '../lib.git', commit: lib },
    ]);
    const { source } = fixture;
    const { path, mirrorPath } = await prepare(fixture.workspaces, { source, hookClones: true });
    await mkdir(join(path, 'lib'));
    const plan = { key: 'SY-1', draft: path, mirrorPath, baseCommit, startCommit: baseCommit };
    const found = await checkOutSubmodules(fixture.workspaces, {
      ...plan,
      repositoryUrl: source.url,
      named: [],
      identity: testIdentity,
      owner: null,
      timeLimit: AbortSignal.abort(),
    });
    expect(found).toEqual({
      mirrorPaths: [],
      notices: [
        'The submodule lib was not checked out by the runner: all submodules together took longer than 20 min.',
      ],
    });
  });

  it('leave an empty folder where their files cannot be written', async () => {
    const author = join(fixture.folder, 'author-of-lib');
    const blob = fixture.git(author, 'rev-parse', 'HEAD:lib.txt').trim();
    const long = 'n'.repeat(300);
    fixture.git(author, 'update-index', '--add', '--cacheinfo', `100644,${blob},${long}`);
    fixture.git(author, 'commit', '-qm', 'a name that no file can have');
    fixture.git(author, 'push', '-q', join(fixture.folder, 'lib.git'), 'HEAD:main');
    const commit = fixture.git(author, 'rev-parse', 'HEAD').trim();
    await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit }]);
    const workspace = await prepareFor(fixture);
    expect(workspace.notices).toEqual([
      expect.stringMatching(/^The submodule lib was not checked out by the runner: .*too long/s),
    ]);
    expect(await readdir(join(workspace.path, 'lib'))).toEqual([]);
    expect(fixture.git(workspace.path, 'status', '--porcelain')).toBe('');
  });

  it('are named where only earlier work declares them', async () => {
    const { git } = fixture;
    const author = join(fixture.folder, 'author');
    git(author, 'checkout', '-q', '-b', 'switchyard/sy-1', 'origin/main');
    git(author, 'update-index', '--add', '--cacheinfo', `160000,${lib},new`);
    await fixture.write(
      join(author, '.gitmodules'),
      '[submodule "n"]\n\tpath = new\n\turl = ../lib.git\n',
    );
    git(author, 'add', '.gitmodules');
    git(author, 'commit', '-qm', 'work');
    git(author, 'push', '-q', 'origin', 'switchyard/sy-1');
    const startCommit = git(author, 'rev-parse', 'HEAD').trim();
    const workspace = await prepare(fixture.workspaces, { source: fixture.source, startCommit });
    expect(await readdir(join(workspace.path, 'new'))).toEqual([]);
    expect(workspace.notices).toEqual([
      'The submodule new was not checked out by the runner: it is not declared in the base branch yet.',
    ]);
  });

  it('are named in a workspace that is older than all this', async () => {
    await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit: lib }]);
    await prepareFor(fixture);
    const { records } = fixture.workspaces.paths;
    const record = (await readWorkspaceRecord(records, 'SY-1')) as WorkspaceRecord;
    delete record.submoduleMirrors;
    delete record.notices;
    await writeWorkspaceRecord(records, record);
    expect((await prepareFor(fixture)).notices).toEqual([
      expect.stringContaining('(lib) were not checked out by the runner: this workspace'),
    ]);
  });

  it('are left out of a sparse checkout, and to the hook that clones', async () => {
    await addSubmodules(fixture, [{ path: 'libs/lib', url: '../lib.git', commit: lib }]);
    const { source, workspaces } = fixture;
    const sparse = await prepare(workspaces, { source, sparsePaths: ['src'] });
    expect(sparse).not.toHaveProperty('notices');
    const hooked = { identifier: 'SY-2', title: 'Fix it' };
    expect(await prepare(workspaces, { source, issue: hooked, hookClones: true })).toMatchObject({
      notices: [expect.stringContaining('(libs/lib) are checked out only where it does that')],
    });
  });
});

describe('the mirror of a submodule', () => {
  it('keeps what a workspace borrows until that is gone', async () => {
    await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit: lib }]);
    const { workspaces } = fixture;
    const { path, submoduleObjects = [] } = await prepareFor(fixture);
    const mirrorPath = join(submoduleObjects[0] ?? '', '..');
    const signal = new AbortController().signal;
    const collect = () => collectGarbage(workspaces, mirrorPath, { nowMs: Date.now(), signal });
    expect(await collect()).toBe(false);
    const longAgo = new Date('2020-01-01');
    await utimes(join(mirrorPath, 'switchyard-collected'), longAgo, longAgo);
    expect(await collect()).toBe(false);
    const refs = () => fixture.git(mirrorPath, 'for-each-ref', 'refs/switchyard').trim();
    expect(refs()).toContain(lib);
    await removeWorkspace(workspaces, 'SY-1');
    expect(existsSync(path)).toBe(false);
    expect(refs()).toBe('');
    expect(await collect()).toBe(true);
  });

  it('keeps nothing for a workspace that was replaced', async () => {
    await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit: lib }]);
    const { submoduleObjects = [] } = await prepareFor(fixture);
    const url = `file://${join(fixture.folder, 'lib.git')}`;
    await prepare(fixture.workspaces, { source: { url } });
    const mirrorPath = join(submoduleObjects[0] ?? '', '..');
    expect(fixture.git(mirrorPath, 'for-each-ref', 'refs/switchyard')).toBe('');
  });

  it('is not that of the repository, whose unfinished work is for nobody else', async () => {
    await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit: lib }]);
    const url = `file://${join(fixture.folder, 'lib.git')}`;
    const own = await prepare(fixture.workspaces, {
      source: { url },
      issue: { identifier: 'LIB-1', title: 'x' },
    });
    const { submoduleObjects } = await prepareFor(fixture);
    expect(submoduleObjects).not.toContain(own.objectsPath);
  });
});

describe('a submodule on a code host', () => {
  let host: GitHost;
  let workspaces: Workspaces;
  let asked: Set<string>;
  beforeEach(async () => {
    host = await startGitHost(fixture.folder);
    asked = new Set();
    workspaces = await openWorkspaces({
      rootPath: join(fixture.folder, 'other-root'),
      workIdentity: null,
      remoteEnv: () => Promise.resolve(host.env),
      remoteCredential: (url) => {
        asked.add(url);
        return Promise.resolve(null);
      },
    });
    await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit: lib }]);
  });
  afterEach(() => host.close());

  it('is fetched without a password, unless the operator named it', async () => {
    const source = { url: host.urlOf('remote.git') };
    const workspace = await prepare(workspaces, { source });
    expect(existsSync(join(workspace.path, 'lib/lib.txt'))).toBe(true);
    expect([...asked]).toEqual([source.url]);
    const other = { identifier: 'SY-2', title: 'x' };
    const named = [host.urlOf('lib.git')];
    const { path, submoduleObjects } = await prepare(workspaces, {
      source,
      issue: other,
      namedSubmodules: named,
    });
    expect(existsSync(join(path, 'lib/lib.txt'))).toBe(true);
    expect(asked).toContain(named[0]);
    expect(submoduleObjects).not.toEqual(workspace.submoduleObjects);
  });

  it('is not fetched from where its host sends git, save to the same repository', async () => {
    const folder = join(fixture.folder, 'elsewhere');
    await mkdir(folder);
    const elsewhere = await startGitHost(folder);
    const source = { url: host.urlOf('remote.git') };
    try {
      const location = `${elsewhere.urlOf('lib.git')}/info/refs?service=git-upload-pack`;
      host.answerFetches('lib.git', { status: 302, location });
      const { path, notices } = await prepare(workspaces, { source });
      expect(notices).toEqual([expect.stringMatching(/^The submodule lib was not .* 302/s)]);
      expect(await readdir(join(path, 'lib'))).toEqual([]);
      expect(elsewhere.requests).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('is said to be one to name where it may be private, with no user to ask', async () => {
    host.answerFetches('lib.git', { status: 401 });
    const { notices } = await prepare(workspaces, { source: { url: host.urlOf('remote.git') } });
    expect(notices).toEqual([
      expect.stringMatching(/if it is private.*"submodules" of the repository's route\.$/s),
    ]);
  });

  it('is found where its host wants its name with .git', async () => {
    await addSubmodules(fixture, [{ path: 'lib', url: '../other', commit: lib }]);
    await rename(join(fixture.folder, 'lib.git'), join(fixture.folder, 'other.git'));
    host.answerFetches('other', { status: 301, location: host.urlOf('other.git/info/refs') });
    const workspace = await prepare(workspaces, { source: { url: host.urlOf('remote.git') } });
    expect(workspace.notices).toBeUndefined();
    expect(existsSync(join(workspace.path, 'lib/lib.txt'))).toBe(true);
  });

  it('needs no default branch, and is asked once', async () => {
    fixture.git(join(fixture.folder, 'lib.git'), 'symbolic-ref', 'HEAD', 'refs/heads/gone');
    const workspace = await prepare(workspaces, { source: { url: host.urlOf('remote.git') } });
    expect(workspace.notices).toBeUndefined();
    expect(host.requests.filter((url) => url.startsWith('/lib.git/info/refs'))).toHaveLength(1);
  });

  it('stays empty where .gitmodules says that nobody is to check it out', async () => {
    const author = join(fixture.folder, 'author');
    fixture.git(author, 'config', '-f', '.gitmodules', 'submodule.s0.update', 'none');
    await fixture.commitOnRemote('main', {}, 'No checkout');
    const { path, notices } = await prepare(workspaces, {
      source: { url: host.urlOf('remote.git') },
    });
    expect(await readdir(join(path, 'lib'))).toEqual([]);
    expect(notices).toEqual([expect.stringContaining('.gitmodules says "update = none"')]);
    expect(host.requests.filter((url) => url.startsWith('/lib.git'))).toEqual([]);
  });
});
