import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkspaces, type Workspaces } from '../open-workspaces.ts';
import { updateMirror } from '../mirror/mirror.ts';
import { type GitHost, startGitHost } from '../testing/git-host.ts';
import { addSubmodules, commitAs, makeRepository } from '../testing/submodule-fixture.ts';
import { makeWorkspaceFixture, type WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { checkPointers } from './check-pointers.ts';

let fixture: WorkspaceFixture;
let host: GitHost;
let workspaces: Workspaces;
/** Addresses for which git was offered a password. */
let asked: Set<string>;
let first: string;
let baseCommit: string;
const UNKNOWN = 'd'.repeat(40);

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
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
  first = await makeRepository(fixture, 'lib', { 'lib.txt': 'lib\n' });
  baseCommit = await addSubmodules(fixture, [{ path: 'lib', url: '../lib.git', commit: first }]);
});
afterEach(async () => {
  await host.close();
  await fixture.dispose();
});

/** What the check says of a commit that sets pointers, and of .gitmodules where that changes. */
async function judged(
  pointers: Record<string, string>,
  { gitmodules = '', named = [] }: { gitmodules?: string; named?: string[] } = {},
): Promise<string[]> {
  const author = join(fixture.folder, 'author');
  const entries = Object.entries(pointers);
  const each = entries.map(([path, commit]) => ['--cacheinfo', `160000,${commit},${path}`]);
  if (entries.length > 0) fixture.git(author, 'update-index', '--add', ...each.flat());
  if (gitmodules !== '') {
    await fixture.write(join(author, '.gitmodules'), gitmodules);
    fixture.git(author, 'add', '.gitmodules');
  }
  fixture.git(author, 'commit', '-q', '--allow-empty', '-m', 'work');
  const commitSha = fixture.git(author, 'rev-parse', 'HEAD').trim();
  fixture.git(author, 'push', '-q', 'origin', `HEAD:refs/heads/switchyard/work`);
  const repositoryUrl = host.urlOf('remote.git');
  const { path: mirrorPath } = await updateMirror(workspaces, { url: repositoryUrl });
  const check = { mirrorPath, repositoryUrl, named, baseBranch: 'main', baseCommit, commitSha };
  const problems = await checkPointers(workspaces, check);
  return problems.map(({ path, message }) => `${path} ${message}`);
}
const declared = (path: string, address: string): string =>
  `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${address}\n`;

describe('a pointer that work moves', () => {
  it('may stand at any commit of a branch, fetched without a password', async () => {
    const second = commitAs(fixture, 'lib');
    commitAs(fixture, 'lib');
    expect(await judged({ lib: second })).toEqual([]);
    expect([...asked]).toEqual([host.urlOf('remote.git')]);
  });

  it('is refused at a commit that is gone from every branch', async () => {
    const second = commitAs(fixture, 'lib');
    expect(await judged({ lib: second })).toEqual([]);
    const remote = join(fixture.folder, 'lib.git');
    fixture.git(remote, 'update-ref', 'refs/heads/main', first);
    expect(await judged({ lib: UNKNOWN })).toEqual([
      expect.stringContaining(
        `lib points to ${UNKNOWN}, and ${host.urlOf('lib.git')} has that commit`,
      ),
    ]);
    expect(await judged({ lib: second })).toEqual([expect.stringContaining('on no branch')]);
  });

  it('is no change of the work where the base branch has moved it', async () => {
    const { git } = fixture;
    const author = join(fixture.folder, 'author');
    git(author, 'update-index', '--cacheinfo', `160000,${UNKNOWN},lib`);
    git(author, 'commit', '-qm', 'people');
    git(author, 'push', '-q', 'origin', 'main');
    await fixture.write(join(author, 'work.txt'), 'work\n');
    git(author, 'add', 'work.txt');
    expect(await judged({})).toEqual([]);
  });

  it('is refused where nobody may ask, with what the operator can do', async () => {
    const elsewhere = declared('lib', 'https://elsewhere.test/lib.git');
    expect(await judged({ lib: UNKNOWN }, { gitmodules: elsewhere })).toEqual([
      expect.stringMatching(/another host.*"submodules" of the repository's route/),
    ]);
  });

  it('is refused where the remote is none, and where nothing declares it', async () => {
    expect(await judged({ lib: UNKNOWN }, { gitmodules: declared('lib', '../none.git') })).toEqual([
      expect.stringContaining('its remote could not be asked for that commit'),
    ]);
    expect(await judged({ lib: first }, { gitmodules: '# nothing\n' })).toEqual([]);
    expect(await judged({ lib: UNKNOWN })).toEqual([
      expect.stringContaining('no submodule is declared'),
    ]);
  });
});

it('looks at 200 moved pointers at most', async () => {
  const many = Array.from({ length: 201 }, (_, index) => [`s/${index}`, first] as const);
  expect(await judged(Object.fromEntries(many))).toEqual([
    'null the work moves or adds 201 submodules, and at most 200 are looked at',
  ]);
});

describe('a submodule that work adds', () => {
  it('begins at a branch or tag, and nothing of it is fetched', async () => {
    const head = await makeRepository(fixture, 'new', { 'new.txt': 'new\n' });
    const gitmodules = declared('lib', '../lib.git') + declared('new', '../new.git');
    expect(await judged({ new: head }, { gitmodules })).toEqual([]);
    commitAs(fixture, 'new');
    expect(await judged({ new: head, lib: first })).toEqual([
      expect.stringContaining('a new submodule begins at one'),
    ]);
    expect([...asked]).toEqual([host.urlOf('remote.git')]);
  });

  it('is asked about with a password only where the operator named it', async () => {
    const head = await makeRepository(fixture, 'new', { 'new.txt': 'new\n' });
    const gitmodules = declared('lib', '../lib.git') + declared('new', '../new.git');
    expect(await judged({ new: head }, { gitmodules, named: [host.urlOf('new.git')] })).toEqual([]);
    expect(asked).toContain(host.urlOf('new.git'));
  });

  it('is refused where its address answers in no way that git understands', async () => {
    const gitmodules = declared('lib', '../lib.git') + declared('new', '../new.git');
    for (const status of [302, 418, 500]) {
      host.answerFetches('new.git', { status });
      expect(await judged({ new: UNKNOWN }, { gitmodules })).toEqual([
        expect.stringContaining('its remote could not be asked for that commit'),
      ]);
    }
  });

  it('is asked about once, however many have its address', async () => {
    await makeRepository(fixture, 'new', { 'new.txt': 'new\n' });
    const gitmodules = declared('a', '../new.git') + declared('b', './../new.git');
    expect(await judged({ a: UNKNOWN, b: UNKNOWN }, { gitmodules })).toHaveLength(2);
    expect(host.requests.filter((url) => url.startsWith('/new.git/info/refs'))).toHaveLength(1);
  });

  it('makes this host ask 20 addresses at most', async () => {
    const names = Array.from({ length: 22 }, (_, index) => `new${index}`);
    for (const name of names)
      fixture.git(fixture.folder, 'clone', '-q', '--bare', 'lib.git', `${name}.git`);
    const gitmodules = names.map((name) => declared(name, `../${name}.git`)).join('');
    const pointers = Object.fromEntries(names.map((name) => [name, first]));
    expect(await judged(pointers, { gitmodules })).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('at most 20 remotes are asked')),
    );
  });
});
