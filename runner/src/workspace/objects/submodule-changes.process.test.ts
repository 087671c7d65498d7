import { mkdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAsProcess } from '../testing/run-as-process.ts';
import { addSubmodules, commitAs, makeRepository } from '../testing/submodule-fixture.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { makeWorkspaceFixture, prepareFor, testIdentity } from '../testing/workspace-fixture.ts';
import type { PreparedWorkspace, Snapshot } from '../workspace.ts';
import { rememberHooksTree } from '../hooks-tree.ts';
import { takeSnapshot } from './snapshot.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;
let libCommit: string;
/** Nobody can check it out: its address is none that is allowed. */
const away = 'https://elsewhere.test/lib.git';

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  libCommit = await makeRepository(fixture, 'lib', { 'lib.txt': 'lib\n' });
});
afterEach(() => fixture.dispose());

const snapshot = (): Promise<Snapshot> =>
  takeSnapshot(fixture.workspaces, runAsProcess(workspace.path, { readsByMode: true }), {
    workspace,
    attemptId: 'att-1',
    identity: testIdentity,
    message: 'SY-1: Fix it',
    agentStopped: true,
  });
const at = (name: string): string => join(workspace.path, name);
const git = (...args: string[]): string => fixture.git(workspace.path, ...args).trim();
const edit = (name: string, text = `${name}\n`): Promise<void> => fixture.write(at(name), text);
const found = ({ problems }: Snapshot): string[] =>
  problems.map(({ rule, path }) => `${rule} ${path}`).toSorted();
const pointerOf = ({ commitSha }: Snapshot): string =>
  fixture.git(workspace.mirrorPath, 'rev-parse', `${commitSha}:lib`).trim();
const paths = (...names: string[]) => names.map((path) => ({ path, url: away, commit: libCommit }));

async function prepareWith(...names: string[]): Promise<void> {
  await addSubmodules(fixture, paths(...names));
  workspace = await prepareFor(fixture);
}

/** As `git submodule update --init` leaves it: git's own files lie in those of the repository. */
async function checkOutAs(path: string): Promise<void> {
  await mkdir(at('.git/modules'));
  const modules = at(`.git/modules/${path}`);
  const source = join(fixture.folder, 'lib.git');
  fixture.git(workspace.path, 'clone', '-q', '--separate-git-dir', modules, source, at(path));
  fixture.git(at(path), 'checkout', '-q', '--detach', libCommit);
}

describe('a submodule that is not checked out', () => {
  it('is nothing to speak of while nothing is in its folder', async () => {
    await prepareWith('libs/one', 'two');
    await mkdir(at('two/empty'));
    expect(await snapshot()).toMatchObject({ commitSha: null, problems: [] });
  });

  it('has every file below it named, whatever it is called', async () => {
    const names = ['libs/one', 'a b', 'c\nd', 'サブ', '[e]*', '"g"', '-h'];
    // Git refuses `-h` itself: it could be taken for an option.
    await prepareWith(...names.filter((name) => name !== '-h'));
    for (const name of names) await edit(`${name}/deep/ü.txt`);
    await edit('work.txt');
    const taken = await snapshot();
    expect(found(taken)).toEqual(
      ['libs/one', 'a b', 'c?d', 'サブ', '[e]*', '"g"']
        .map((name) => `submodule_change ${name}/deep/ü.txt`)
        .toSorted(),
    );
    expect(taken.problems.map(({ message }) => message).join('\n')).toContain('submodule サブ');
    expect(taken.diff).toContain('work.txt');
  });

  it('lets nothing pass where its .git is none', async () => {
    await prepareWith('lib');
    await edit('lib/new.txt');
    await mkdir(at('lib/.git'));
    await expect(snapshot()).rejects.toMatchObject({
      code: 'snapshot_refused',
      message: expect.stringContaining('lib/.git') as string,
    });
  });

  it('is named when its folder is gone, unless it is declared no more', async () => {
    await prepareWith('lib', 'other');
    await rm(at('lib'), { recursive: true });
    git('rm', '-q', 'other');
    expect(found(await snapshot())).toEqual(['submodule_removed lib']);
    git('config', '-f', '.gitmodules', '--remove-section', 'submodule.s0');
    expect(found(await snapshot())).toEqual([]);
  });

  it('may become a folder with files of its own', async () => {
    await prepareWith('lib');
    git('rm', '-q', 'lib');
    await edit('lib/own.txt');
    const taken = await snapshot();
    expect(found(taken)).toEqual([]);
    expect(taken.diff).toContain('lib/own.txt');
  });
});

describe('what hooks left below a submodule', () => {
  const hooksRan = (): Promise<void> =>
    rememberHooksTree(fixture.workspaces, runAsProcess(workspace.path), {
      workspace,
      identity: testIdentity,
      isBaseBranch: true,
    });
  it.each(['checked out', 'not checked out'])(
    'is no work while it stays, where it is %s',
    async (how) => {
      await prepareWith('lib', 'other');
      if (how === 'checked out') await checkOutAs('lib');
      const names = ['-a', 'b c', 'd\ne', 'f%s', 'ü', 'g/h'];
      for (const name of names) await edit(`lib/${name}`);
      if (how === 'checked out') await edit('lib/lib.txt', 'patched\n');
      await hooksRan();
      expect(found(await snapshot())).toEqual([]);
      const soon = new Date(Date.now() + 60_000);
      await edit('lib/b c', 'changed\n');
      await utimes(at('lib/b c'), soon, soon);
      await edit('lib/new.txt');
      await edit('other/new.txt');
      await rm(at('lib/g/h'));
      expect(found(await snapshot())).toEqual([
        'submodule_change lib/b c',
        'submodule_change lib/new.txt',
        'submodule_change other/new.txt',
      ]);
    },
  );
});

describe('a submodule that is checked out', () => {
  beforeEach(async () => {
    await prepareWith('lib');
    await checkOutAs('lib');
  });

  it('is nothing to speak of as it is', async () => {
    expect(await snapshot()).toMatchObject({ commitSha: null, problems: [] });
  });

  it('has changed, deleted and new files named, and those only', async () => {
    await fixture.write(at('.git/modules/lib/info/exclude'), 'ignored\n');
    await edit('lib/lib.txt', 'changed\n');
    await edit('lib/new file\n.txt');
    await edit('lib/ignored');
    expect(found(await snapshot())).toEqual([
      'submodule_change lib/lib.txt',
      'submodule_change lib/new file?.txt',
    ]);
    await rm(at('lib/lib.txt'));
    fixture.git(at('lib'), 'add', '-A');
    expect(found(await snapshot())).toContain('submodule_change lib/lib.txt');
    fixture.git(at('lib'), 'reset', '-q', '--hard');
    fixture.git(at('lib'), 'clean', '-qfd');
    expect(found(await snapshot())).toEqual([]);
  });

  it('has commits named that its own HEAD does not have', async () => {
    fixture.git(at('lib'), 'checkout', '-q', '-b', 'mine');
    fixture.git(at('lib'), 'commit', '-q', '--allow-empty', '-m', 'mine');
    fixture.git(at('lib'), 'checkout', '-q', '--detach', libCommit);
    expect(found(await snapshot())).toEqual(['submodule_commits lib']);
    fixture.git(at('lib'), 'branch', '-q', '-D', 'mine');
    await edit('lib/lib.txt', 'changed\n');
    fixture.git(at('lib'), 'stash', '-q');
    expect(found(await snapshot())).toEqual(['submodule_commits lib']);
    fixture.git(at('lib'), 'stash', 'drop', '-q');
    expect(found(await snapshot())).toEqual([]);
  });

  it('has its new HEAD taken over, and an old one not', async () => {
    const next = commitAs(fixture, 'lib');
    fixture.git(at('lib'), 'fetch', '-q', 'origin');
    fixture.git(at('lib'), 'checkout', '-q', next);
    expect(pointerOf(await snapshot())).toBe(next);
    fixture.git(at('lib'), 'checkout', '-q', libCommit);
    git('commit', '-q', '--allow-empty', '-m', 'mine');
    // As after a merge of the base branch, which moves no checkout.
    expect(pointerOf(await snapshot())).toBe(next);
    const last = commitAs(fixture, 'lib');
    git('update-index', '--cacheinfo', `160000,${last},lib`);
    fixture.git(at('lib'), 'checkout', '-q', next);
    const taken = await snapshot();
    expect(pointerOf(taken)).toBe(last);
    expect(found(taken)).toEqual([]);
  });

  it('is moved and removed also where .gitmodules has git ignore it', async () => {
    git('config', '-f', '.gitmodules', 'submodule.s0.ignore', 'all');
    git('config', 'diff.ignoreSubmodules', 'all');
    git('commit', '-qam', 'quiet');
    const next = commitAs(fixture, 'lib');
    fixture.git(at('lib'), 'fetch', '-q', 'origin');
    fixture.git(at('lib'), 'checkout', '-q', next);
    expect(pointerOf(await snapshot())).toBe(next);
    await edit('lib/new.txt');
    expect(found(await snapshot())).toEqual(['submodule_change lib/new.txt']);
    await rm(at('lib'), { recursive: true });
    expect(found(await snapshot())).toEqual(['submodule_removed lib']);
  });

  it('has a submodule of its own looked at as well', async () => {
    fixture.git(at('lib'), 'update-index', '--add', '--cacheinfo', `160000,${libCommit},inner`);
    fixture.git(at('lib'), 'commit', '-q', '-m', 'with one inside');
    await edit('lib/inner/lost.txt');
    const taken = await snapshot();
    expect(found(taken)).toEqual(['submodule_change lib/inner/lost.txt']);
    expect(taken.problems[0]?.message).toContain('submodule lib/inner');
  });

  it('is looked at beside an open merge', async () => {
    const head = git('rev-parse', 'HEAD');
    await fixture.write(at('.git/MERGE_HEAD'), `${head}\n`);
    await edit('lib/new.txt');
    expect(found(await snapshot())).toEqual(['merge_open null', 'submodule_change lib/new.txt']);
  });
});
