import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** git holds these for milliseconds, seconds at most; one of our own git may have outlived a runner. */
const STALE_AFTER_MS = 15_000;

/**
 * Removes lock files of refs and configuration that nobody holds any more from a bare repository.
 * Waits for young ones to become stale or go away, at most 15 s; one that somebody took anew meanwhile
 * stays. Answers whether any was there.
 */
export async function clearStaleLocks(
  gitDir: string,
  options: { staleAfterMs?: number } = {},
): Promise<boolean> {
  const staleAfterMs = options.staleAfterMs ?? STALE_AFTER_MS;
  const locks = await lockFiles(gitDir);
  for (const path of locks) {
    const ageMs = await ageOf(path);
    if (ageMs !== null && ageMs < staleAfterMs) await delay(staleAfterMs - Math.max(0, ageMs));
    const isStale = ((await ageOf(path)) ?? 0) >= staleAfterMs;
    if (isStale) await rm(path, { force: true });
  }
  return locks.length > 0;
}

async function lockFiles(gitDir: string): Promise<string[]> {
  const top = (await readdir(gitDir)).map((name) => join(gitDir, name));
  const refs = (await readdir(join(gitDir, 'refs'), { recursive: true })).map((name) =>
    join(gitDir, 'refs', name),
  );
  return [...top, ...refs].filter((path) => path.endsWith('.lock'));
}

async function ageOf(path: string): Promise<number | null> {
  const found = await stat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  return found === null ? null : Date.now() - found.mtimeMs;
}
