import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorkspaces } from '../../../runner/src/workspace/open-workspaces.ts';
import { median } from '../median.ts';
import { developerGit, type DeveloperGit } from './developer-git.ts';
import { type HistoryLoad, measureHistoryLoad } from './history-load.ts';
import { type IssuesOfOne, issuesOfOne } from './issues-of-one.ts';
import { makeRepository } from './make-repository.ts';
import { settle } from './settle.ts';

/** Medians of the repeats, in milliseconds. Each ratio is the median of those within one repeat. */
export type RepositoryLoad = {
  files: number;
  repeats: number;
  /** Copies of a checkout are made at once on this file system. */
  hasWarmCheckout: boolean;
  firstMs: number;
  againMs: number;
  nextMs: number;
  worktreeMs: number;
  nextRatio: number;
  fourMs: number;
  fourWorktreesMs: number;
  fourRatio: number;
  history: HistoryLoad;
};

const FILES = 60_000;
const COMMITS = 200;
const AT_ONCE = 4;

/**
 * Issues of a repository with many files against `git worktree add` in the same mirror, one after
 * the other and four at once; then a repository with a long history. In SWITCHYARD_BENCH_FOLDER,
 * else in the folder for temporary files.
 */
export async function measureRepositoryLoad(repeats: number): Promise<RepositoryLoad> {
  const parent = process.env['SWITCHYARD_BENCH_FOLDER'] ?? tmpdir();
  const folder = await mkdtemp(join(parent, 'swy-bench-repos-'));
  try {
    const remotePath = join(folder, 'files.git');
    await makeRepository(remotePath, { files: FILES, commits: COMMITS, historyBytes: 0 });
    const workspaces = await openWorkspaces({
      rootPath: join(folder, 'root'),
      workIdentity: null,
      allowFolders: [folder],
    });
    const issues = issuesOfOne(workspaces, `file://${remotePath}`);
    const firstMs = await issues.prepare('FIRST');
    const againMs = await issues.prepare('FIRST');
    const mirrorPath = await issues.mirrorPath();
    const rounds: Round[] = [];
    for (let round = 0; round < repeats; round += 1)
      rounds.push(await measureRound(issues, { mirrorPath, folder }));
    await issues.remove(['FIRST']);
    await rm(remotePath, { recursive: true, force: true });
    const middle = (of: (round: Round) => number): number => median(rounds.map(of));
    return {
      files: FILES,
      repeats,
      firstMs,
      againMs,
      hasWarmCheckout: workspaces.paths.warm !== undefined,
      nextMs: middle((round) => round.nextMs),
      worktreeMs: middle((round) => round.worktreeMs),
      nextRatio: middle((round) => round.nextMs / round.worktreeMs),
      fourMs: middle((round) => round.fourMs),
      fourWorktreesMs: middle((round) => round.fourWorktreesMs),
      fourRatio: middle((round) => round.fourMs / round.fourWorktreesMs),
      history: await measureHistoryLoad(workspaces, folder),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Round = { nextMs: number; worktreeMs: number; fourMs: number; fourWorktreesMs: number };

/** What was written before is on the disk when the next one begins. */
async function measureRound(
  issues: IssuesOfOne,
  at: { mirrorPath: string; folder: string },
): Promise<Round> {
  const git = developerGit();
  const worktreeMs = await worktrees(git, at, ['one']);
  const nextMs = await issues.prepare('NEXT');
  await issues.remove(['NEXT']);
  const several = Array.from({ length: AT_ONCE }, (_, index) => `FOUR-${index}`);
  const fourWorktreesMs = await worktrees(git, at, several);
  const fourMs = await issues.prepare(...several);
  await issues.remove(several);
  return { nextMs, worktreeMs, fourMs, fourWorktreesMs };
}

async function worktrees(
  git: DeveloperGit,
  { mirrorPath, folder }: { mirrorPath: string; folder: string },
  names: readonly string[],
): Promise<number> {
  const paths = names.map((name) => join(folder, `worktree-${name}`));
  await settle(folder);
  const startedMs = performance.now();
  await Promise.all(
    paths.map((path) => git(mirrorPath, 'worktree', 'add', '--quiet', '--detach', path)),
  );
  const tookMs = performance.now() - startedMs;
  for (const path of paths) await git(mirrorPath, 'worktree', 'remove', '--force', path);
  return tookMs;
}
