import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspaces } from '../open-workspaces.ts';
import { patiently } from './with-refs.ts';

/** Old enough that no attempt or pull request needs the snapshot. */
const KEPT_MS = 30 * 86_400_000;
const PRUNE_EVERY_MS = 86_400_000;
const MAX_REFS_PER_RUN = 5_000;
const MARKER = 'switchyard-pruned';

/**
 * Removes refs of attempts whose last snapshot is over 30 days old, at most once a day for each
 * mirror and under its lock. A ref at the head of a branch stays: without a list from the control
 * plane it proves that the branch is the issue's. Returns how many were removed.
 */
export async function pruneAttemptRefs(
  workspaces: Workspaces,
  mirrorPath: string,
  nowMs = Date.now(),
): Promise<number> {
  const marker = join(mirrorPath, MARKER);
  const prunedAtMs = await stat(marker).then(
    (found) => found.mtimeMs,
    () => 0,
  );
  if (nowMs - prunedAtMs < PRUNE_EVERY_MS) return 0;
  await writeFile(marker, '');
  const heads = new Set((await list(workspaces, mirrorPath, 'refs/heads/')).map(({ sha }) => sha));
  const kept = ['refs/switchyard/attempts/', 'refs/switchyard/aside/'];
  const old = (await Promise.all(kept.map((prefix) => list(workspaces, mirrorPath, prefix))))
    .flat()
    .filter(({ atMs, sha }) => nowMs - atMs > KEPT_MS && !heads.has(sha))
    .slice(0, MAX_REFS_PER_RUN);
  if (old.length === 0) return 0;
  await patiently(mirrorPath, () =>
    workspaces.git.run({
      gitDir: mirrorPath,
      args: ['update-ref', '--stdin'],
      input: old.map(({ ref, sha }) => `delete ${ref} ${sha}\n`).join(''),
    }),
  );
  return old.length;
}

async function list(
  workspaces: Workspaces,
  mirrorPath: string,
  prefix: string,
): Promise<{ ref: string; sha: string; atMs: number }[]> {
  const listed = await workspaces.git.run({
    gitDir: mirrorPath,
    args: ['for-each-ref', '--format=%(objectname) %(committerdate:unix) %(refname)', prefix],
  });
  return listed.stdout.split('\n').flatMap((line) => {
    const [, sha = '', seconds = '', ref = ''] = /^(\S+) (\d*) (.+)$/.exec(line) ?? [];
    return ref === '' ? [] : [{ ref, sha, atMs: Number(seconds) * 1000 }];
  });
}
