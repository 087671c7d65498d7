import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { watchFetch } from '../../../runner/src/workspace/mirror/watch-fetch.ts';
import { mirrorPathOf, updateMirror } from '../../../runner/src/workspace/mirror/mirror.ts';
import type { Workspaces } from '../../../runner/src/workspace/open-workspaces.ts';
import { developerGit } from './developer-git.ts';
import { issuesOfOne } from './issues-of-one.ts';
import { makeRepository } from './make-repository.ts';

/** A fetch of a long history, and what other issues wait for meanwhile, in milliseconds. */
export type HistoryLoad = {
  bytes: number;
  fetchMs: number;
  /** An issue whose base the mirror has already, and one of another repository. */
  sameMs: number;
  otherMs: number;
  /** Neither waited for the end of the fetch. */
  wentOn: boolean;
  /** How often the fetch said how far it is. */
  progressSteps: number;
};

const FILES = 200;
const COMMITS = 1_000;
const BYTES = 1_000_000_000;
const BRANCH = 'refs/heads/long';

/** The mirror knows `main`; then a branch comes whose history is long. */
export async function measureHistoryLoad(
  workspaces: Workspaces,
  folder: string,
): Promise<HistoryLoad> {
  const git = developerGit();
  const [longPath, otherPath] = ['long.git', 'other.git'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  try {
    await makeRepository(longPath, { files: FILES, commits: COMMITS, historyBytes: BYTES });
    await makeRepository(otherPath, { files: FILES, commits: 1, historyBytes: 0 });
    const newest = (await git(longPath, 'rev-parse', 'main')).trim();
    const first = (await git(longPath, 'rev-list', '--max-parents=0', 'main')).trim();
    await git(longPath, 'update-ref', 'refs/heads/main', first);
    const url = `file://${longPath}`;
    const same = issuesOfOne(workspaces, url);
    const other = issuesOfOne(workspaces, `file://${otherPath}`);
    await same.prepare('LONG-1');
    await other.prepare('OTHER-1');
    await git(longPath, 'update-ref', BRANCH, newest);
    let isOver = false;
    let progressSteps = 0;
    const stop = watchFetch(mirrorPathOf(workspaces, { url }), () => (progressSteps += 1));
    const startedMs = performance.now();
    const fetching = updateMirror(workspaces, { url }).then(() => {
      isOver = true;
      return performance.now() - startedMs;
    });
    const sameMs = await same.prepare('LONG-2');
    const otherMs = await other.prepare('OTHER-2');
    const wentOn = !isOver;
    const fetchMs = await fetching.finally(stop);
    return { bytes: BYTES, fetchMs, sameMs, otherMs, wentOn, progressSteps };
  } finally {
    for (const path of [longPath, otherPath]) await rm(path, { recursive: true, force: true });
  }
}
