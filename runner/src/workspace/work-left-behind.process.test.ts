import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotInput } from './objects/snapshot.ts';
import { takeSnapshot } from './objects/snapshot.ts';
import { runAsProcess } from './testing/run-as-process.ts';
import type { WorkspaceFixture } from './testing/workspace-fixture.ts';
import { makeWorkspaceFixture, prepareFor, testIdentity } from './testing/workspace-fixture.ts';
import type { PreparedWorkspace, Snapshot } from './workspace.ts';

let fixture: WorkspaceFixture;
let workspace: PreparedWorkspace;

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  workspace = await prepareFor(fixture);
});
afterEach(() => fixture.dispose());

const snapshot = (change: Partial<SnapshotInput> = {}): Promise<Snapshot> =>
  takeSnapshot(fixture.workspaces, runAsProcess(workspace.path), {
    workspace,
    attemptId: 'att-1',
    identity: testIdentity,
    message: 'SY-1: Fix it',
    agentStopped: true,
    ...change,
  });
const git = (...args: string[]): string => fixture.git(workspace.path, ...args).trim();
const inMirror = (...args: string[]): string => fixture.git(workspace.mirrorPath, ...args).trim();
const edit = (name: string, text = `${name}\n`): Promise<void> =>
  fixture.write(join(workspace.path, name), text);
const fails = (...args: string[]): void => expect(() => git(...args)).toThrow(/./);

async function commit(name: string, text?: string): Promise<string> {
  await edit(name, text);
  git('add', '-A');
  git('commit', '-qm', `add ${name}`);
  return git('rev-parse', 'HEAD');
}

/** Two branches that change the same line, with HEAD on the issue's. */
async function conflict(): Promise<void> {
  git('checkout', '-qb', 'other');
  await commit('src/app.txt', 'one\ntheirs\nthree\n');
  git('checkout', '-q', workspace.branch);
  await commit('src/app.txt', 'one\nours\nthree\n');
}

describe('work that the agent committed and left', () => {
  it('is delivered from a branch of its own that nothing else points to', async () => {
    git('checkout', '-qb', 'mine');
    const work = await commit('a.txt');
    git('checkout', '-q', workspace.branch);
    expect(await snapshot()).toMatchObject({ commitSha: work, unclear: false, aside: [] });
  });

  it('is delivered to its newest commit when HEAD is detached at an older one', async () => {
    const older = await commit('a.txt');
    const newest = await commit('b.txt');
    git('checkout', '-q', '--detach', older);
    expect(await snapshot()).toMatchObject({ commitSha: newest, unclear: false, aside: [] });
  });

  it('is delivered whole while a bisection is open, which is named', async () => {
    await commit('a.txt');
    await commit('b.txt');
    const newest = await commit('c.txt');
    git('bisect', 'start', newest, workspace.baseCommit);
    const taken = await snapshot();
    expect(taken.commitSha).toBe(newest);
    expect(taken.problems).toMatchObject([{ rule: 'bisect_open' }]);
  });

  it('is found on a detached HEAD that was left, and asked about', async () => {
    git('checkout', '-q', '--detach');
    const work = await commit('a.txt');
    git('checkout', '-q', workspace.branch);
    expect(await snapshot()).toMatchObject({ commitSha: work, unclear: true });
  });

  it('is named and kept when it stands beside what is delivered', async () => {
    git('checkout', '-qb', 'half');
    const half = await commit('half.txt');
    git('checkout', '-q', workspace.branch);
    const rest = await commit('rest.txt');
    const taken = await snapshot();
    expect(taken).toMatchObject({
      commitSha: rest,
      aside: [{ name: 'refs/heads/half', commitSha: half, subject: 'add half.txt' }],
    });
    const kept = taken.aside[0]?.keptAs ?? '';
    expect(inMirror('rev-parse', kept)).toBe(half);
    expect(git('for-each-ref', 'refs/switchyard')).toBe('');
  });

  it('is named and kept when it is only stashed', async () => {
    await edit('src/app.txt', 'stashed\n');
    git('stash', '-q');
    const rest = await commit('rest.txt');
    const taken = await snapshot();
    expect(taken).toMatchObject({ commitSha: rest, aside: [{ name: 'stash@{0}' }] });
    expect(inMirror('show', `${taken.aside[0]?.keptAs}:src/app.txt`)).toBe('stashed');
  });

  it('is named and kept from every entry of the stash, with untracked files', async () => {
    for (const text of ['first', 'second', 'third']) {
      await edit('src/app.txt', `${text}\n`);
      await edit(`${text}.txt`);
      git('stash', 'push', '-q', '-u', '-m', text);
    }
    const rest = await commit('rest.txt');
    const taken = await snapshot();
    expect(taken).toMatchObject({
      commitSha: rest,
      aside: [
        { name: 'stash@{0}', subject: `On ${workspace.branch}: third` },
        { name: 'stash@{1}', subject: `On ${workspace.branch}: second` },
        { name: 'stash@{2}', subject: `On ${workspace.branch}: first` },
      ],
    });
    const [, , oldest] = taken.aside;
    expect(inMirror('show', `${oldest?.keptAs}:src/app.txt`)).toBe('first');
    expect(inMirror('show', `${oldest?.keptAs}^3:first.txt`)).toBe('first.txt');
    expect(git('stash', 'list').split('\n')).toHaveLength(3);
  });

  it('asks which of two it is when HEAD has neither', async () => {
    git('checkout', '-qb', 'one');
    await commit('one.txt');
    git('checkout', '-qb', 'two', workspace.baseCommit);
    await commit('two.txt');
    git('checkout', '-q', workspace.branch);
    const taken = await snapshot();
    expect(taken.unclear).toBe(true);
    const both = new Set([taken.commitSha, ...taken.aside.map(({ commitSha }) => commitSha)]);
    expect(both).toEqual(new Set([git('rev-parse', 'one'), git('rev-parse', 'two')]));
  });

  it('is not asked for where the agent rewrote, squashed, picked or dropped it itself', async () => {
    await commit('a.txt');
    git('commit', '-q', '--amend', '-m', 'better');
    await commit('dropped.txt');
    git('reset', '-q', '--hard', 'HEAD~1');
    git('checkout', '-qb', 'tmp');
    const picked = await commit('picked.txt');
    git('checkout', '-q', workspace.branch);
    await commit('between.txt');
    git('cherry-pick', picked);
    git('checkout', '-qb', 'tmp2');
    await commit('s1.txt');
    await commit('s2.txt');
    git('checkout', '-q', workspace.branch);
    git('merge', '-q', '--squash', 'tmp2');
    git('commit', '-qm', 'squashed');
    const head = git('rev-parse', 'HEAD');
    expect(await snapshot()).toMatchObject({ commitSha: head, unclear: false, aside: [] });
  });
});

describe('a history that shares nothing with the base branch', () => {
  it('is a named problem and no work that could be delivered', async () => {
    git('checkout', '-q', '--orphan', 'fresh');
    await edit('b.txt');
    const taken = await snapshot();
    expect(taken.problems).toMatchObject([{ rule: 'unrelated_history' }]);
    expect(taken.problems[0]?.message).toContain('shares no commit');
  });
});

describe('an operation that the agent did not finish', () => {
  it('is a merge: nothing is committed for it, and its files are named', async () => {
    await conflict();
    const before = git('rev-parse', 'HEAD');
    fails('merge', 'other');
    const taken = await snapshot();
    expect(taken.problems).toMatchObject([
      { rule: 'merge_open' },
      { rule: 'unmerged_path', path: 'src/app.txt' },
      { rule: 'conflict_marker', path: 'src/app.txt', line: 2 },
    ]);
    expect(git('rev-parse', 'HEAD')).toBe(before);
    expect(git('diff', '--name-only', '--diff-filter=U')).toBe('src/app.txt');
    // Kept all the same: another machine may have to go on with it.
    expect(inMirror('show', `${taken.commitSha}:src/app.txt`)).toContain('<<<<<<<');
  });

  it('is a rebase', async () => {
    await conflict();
    fails('rebase', 'other');
    expect((await snapshot()).problems[0]).toMatchObject({ rule: 'rebase_open' });
    expect(git('status')).toContain('rebase in progress');
  });

  it('is a cherry-pick', async () => {
    await conflict();
    fails('cherry-pick', 'other');
    expect((await snapshot()).problems[0]).toMatchObject({ rule: 'cherry_pick_open' });
  });

  it.each(['cherry-pick', 'revert'])('is a %s of several that went on by hand', async (what) => {
    await conflict();
    git('checkout', '-qb', 'several', 'other');
    await commit('second.txt');
    await commit('third.txt');
    git('checkout', '-q', what === 'revert' ? 'several' : workspace.branch);
    if (what === 'revert') await commit('src/app.txt', 'one\nagain\nthree\n');
    const range = what === 'revert' ? ['HEAD~3', 'HEAD~2'] : ['other', 'several~1', 'several'];
    fails(what, ...range);
    await edit('src/app.txt', 'one\nboth\nthree\n');
    git('add', '-A');
    git('commit', '-qm', 'the first of them');
    const rule = `${what.replace('-', '_')}_open`;
    expect((await snapshot()).problems).toMatchObject([{ rule }]);
  });

  it('shows in committed conflict markers, and not in a heading of equals signs', async () => {
    await commit('README.md', 'Welcome\n=======\n');
    expect((await snapshot()).problems).toEqual([]);
    await commit('src/app.txt', 'one\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\nthree\n');
    expect((await snapshot()).problems).toMatchObject([
      { rule: 'conflict_marker', path: 'src/app.txt', line: 2 },
    ]);
  });
});

describe('conflict markers that are there on purpose', () => {
  const sample = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join('');
  const marked = `${sample}<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n`;

  it('are no problem in a file that is moved or changed elsewhere, and new ones in it are', async () => {
    await commit('R100', marked);
    // The base branch has it from here on.
    workspace = { ...workspace, baseCommit: (await snapshot()).commitSha ?? '' };
    await commit('R100', `first\n${marked}`);
    expect((await snapshot()).problems).toEqual([]);
    git('mv', 'R100', 'moved\nR "ü"');
    await commit('moved\nR "ü"', `first\n${marked}last\n`);
    expect((await snapshot()).problems).toEqual([]);
    await commit('moved\nR "ü"', `first\n${marked}<<<<<<< mine\nc\n=======\nd\n>>>>>>> third\n`);
    expect((await snapshot()).problems).toMatchObject([
      { rule: 'conflict_marker', path: 'moved?R "ü"', line: 27 },
    ]);
  });
});

describe('lock files of writers that are dead', () => {
  it('do not fail a snapshot, whichever ref or file they are of', async () => {
    await edit('a.txt');
    const locks = [
      `refs/heads/${workspace.branch}.lock`,
      'HEAD.lock',
      'index.lock',
      'packed-refs.lock',
      'config.lock',
    ];
    for (const lock of locks) {
      const path = join(workspace.path, '.git', lock);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, '');
    }
    const taken = await snapshot();
    expect(taken.diffStat.files).toBe(1);
    expect(git('rev-parse', workspace.branch)).toBe(taken.commitSha);
  });

  it('are left to an agent that still works, and its work is kept beside its branch', async () => {
    const lock = join(workspace.path, '.git', `refs/heads/${workspace.branch}.lock`);
    await mkdir(join(lock, '..'), { recursive: true });
    await writeFile(lock, '');
    await edit('a.txt');
    expect((await snapshot({ agentStopped: false })).diffStat.files).toBe(1);
    await writeFile(lock, '', { flag: 'r+' });
  });
});
