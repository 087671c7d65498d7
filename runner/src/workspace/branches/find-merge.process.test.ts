import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeWorkspaceFixture, type WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { findMerge } from './find-merge.ts';

let fixture: WorkspaceFixture;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
});
afterEach(() => fixture.dispose());

const git = (...args: string[]): string => fixture.git(`${fixture.folder}/author`, ...args).trim();
/** Asked of the folder of a developer, which is a repository like a mirror. */
const find = (commit: string, head = git('rev-parse', 'main')) =>
  findMerge(fixture.workspaces, { mirrorPath: `${fixture.folder}/author/.git`, head, commit });
const one = (message: string): string => {
  git('commit', '-q', '--allow-empty', '-m', message);
  return git('rev-parse', 'HEAD');
};

describe('the merge of a commit', { timeout: 60_000 }, () => {
  it('is the commit of the base itself that brought it in, not a later or an inner one', async () => {
    git('checkout', '-q', '-b', 'inner');
    const work = one('work');
    git('checkout', '-q', 'main');
    git('checkout', '-q', '-b', 'outer');
    one('outer');
    git('merge', '-q', '--no-ff', '-m', 'inner into outer', 'inner');
    git('checkout', '-q', 'main');
    const baseCommit = one('of the base');
    expect(await find(work)).toBeNull();
    git('merge', '-q', '--no-ff', '-m', 'outer into main', 'outer');
    const mergeCommit = git('rev-parse', 'HEAD');
    expect(await find(work)).toEqual({ baseCommit, mergeCommit });
    one('later');
    git('checkout', '-q', '-b', 'other', baseCommit);
    one('other');
    git('checkout', '-q', 'main');
    git('merge', '-q', '--no-ff', '-m', 'other into main', 'other');
    expect(await find(work)).toEqual({ baseCommit, mergeCommit });
  });

  it('is the commit itself where the base only moved forward to it', async () => {
    const before = git('rev-parse', 'main');
    const work = one('work');
    expect(await find(work)).toEqual({ baseCommit: before, mergeCommit: work });
    one('later');
    expect(await find(work)).toEqual({ baseCommit: before, mergeCommit: work });
    expect(await find(before)).toEqual({ baseCommit: before, mergeCommit: before });
  });

  it('is none of a commit that is not there, or of what is no commit', async () => {
    expect(await find('0'.repeat(40))).toBeNull();
    expect(await find('--all')).toBeNull();
  });
});
