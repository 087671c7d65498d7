import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diffBranches } from './branches/diff-branches.ts';
import { gitContext } from './branches/git-context.ts';
import { mergeBranch } from './branches/merge-branch.ts';
import type { WorkspaceFixture } from './testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from './testing/workspace-fixture.ts';

let fixture: WorkspaceFixture;
let base: string;
let work: string;
const branch = 'switchyard/sy-1';

beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  base = await fixture.commitOnRemote('main', { 'a.txt': '1\n2\n3\n' });
  work = await fixture.commitOnRemote(branch, { 'a.txt': '1\n2\n3\n4\n' });
});
afterEach(() => fixture.dispose());

const merge = (change: { expectedSha?: string } = {}) =>
  mergeBranch(fixture.workspaces, {
    source: fixture.source,
    base: 'main',
    branch,
    message: 'Merge SY-1\n\n$(touch x)',
    identity: testIdentity,
    ...change,
  });
const head = (): string => fixture.git(fixture.remotePath, 'rev-parse', 'refs/heads/main').trim();

describe('diffBranches', () => {
  it('shows what the branch adds, not what the base gained meanwhile', async () => {
    await fixture.commitOnRemote('main', { 'other.txt': 'x\n' });
    const diff = await diffBranches(fixture.workspaces, {
      source: fixture.source,
      base: 'main',
      branch,
    });
    expect(diff).toMatchObject({
      forkCommit: base,
      branchCommit: work,
      diffStat: { files: 1, insertions: 1, deletions: 0 },
    });
    expect(diff.diff).toContain('+4');
    expect(diff.diff).not.toContain('other.txt');
  });

  it('names a branch that is not there', async () => {
    await expect(
      diffBranches(fixture.workspaces, { source: fixture.source, base: 'main', branch: 'nope' }),
    ).rejects.toMatchObject({ code: 'branch_refused' });
  });
});

describe('mergeBranch', () => {
  it('makes a merge commit on the base, once', async () => {
    const moved = await fixture.commitOnRemote('main', { 'other.txt': 'x\n' });
    const result = await merge({ expectedSha: work });
    expect(result.alreadyMerged).toBe(false);
    expect(head()).toBe(result.mergeCommit);
    const shown = fixture.git(fixture.remotePath, 'log', '-1', '--format=%P|%an|%B', 'main');
    expect(shown).toContain(`${moved} ${work}|Sam Switch|Merge SY-1\n\n$(touch x)`);
    expect(fixture.git(fixture.remotePath, 'show', 'main:a.txt')).toBe('1\n2\n3\n4\n');
    expect(await merge()).toEqual({ mergeCommit: result.mergeCommit, alreadyMerged: true });
  });

  it('lists the files of a conflict and changes nothing', async () => {
    const moved = await fixture.commitOnRemote('main', { 'a.txt': '1\n2\n3\nfive\n' });
    await expect(merge()).rejects.toMatchObject({
      code: 'merge_conflict',
      message: expect.stringContaining('"a.txt"'),
    });
    expect(head()).toBe(moved);
  });

  it('does not merge what the person has not seen', async () => {
    await expect(merge({ expectedSha: base })).rejects.toMatchObject({ code: 'branch_refused' });
  });

  it('says what to do when the base is checked out in the folder', async () => {
    const folder = join(fixture.folder, 'project');
    fixture.git(fixture.folder, 'clone', '-q', fixture.remotePath, folder);
    fixture.git(folder, 'branch', branch, `origin/${branch}`);
    await expect(
      mergeBranch(fixture.workspaces, {
        source: { url: `file://${folder}` },
        base: 'main',
        branch,
        message: 'm',
        identity: testIdentity,
      }),
    ).rejects.toMatchObject({
      code: 'push_refused',
      message: expect.stringMatching(
        /^main is checked out in .* receive\.denyCurrentBranch updateInstead/,
      ),
    });
  });
});

describe('gitContext', () => {
  it('lists branches, head and remote', async () => {
    const context = await gitContext(fixture.workspaces, fixture.source);
    expect(context.head).toBe('main');
    expect(context.branches.map((one) => one.name).sort()).toEqual(['main', branch]);
    expect(context.branches.find((one) => one.name === branch)).toMatchObject({
      commitSha: work,
      subject: 'Change',
    });
    expect(context.remotes).toEqual([{ name: 'origin', url: fixture.source.url }]);
    expect(context.stale).toBeNull();
  });

  it('shows the mirror as it stands, and says so, when the remote is late or out of reach', async () => {
    await gitContext(fixture.workspaces, fixture.source);
    const late = await gitContext(fixture.workspaces, fixture.source, AbortSignal.abort());
    expect(late).toMatchObject({ head: 'main', stale: 'the remote did not answer in time' });
    expect(late.branches).not.toEqual([]);
    const unknown = { url: `file://${fixture.folder}/nowhere.git` };
    await expect(gitContext(fixture.workspaces, unknown)).rejects.toMatchObject({
      code: 'repository_missing',
    });
  });
});
