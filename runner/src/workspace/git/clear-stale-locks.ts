import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** git holds these for milliseconds, seconds at most; one of our own git may have outlived a runner. */
const STALE_AFTER_MS = 15_000;

/**
 * Removes lock files of refs and configuration that nobody holds any more from a bare repository: those
 * that are old, and those that stayed as they were while it waited, whatever their date says. Waits at
 * most 15 s; one that somebody took anew meanwhile stays. Answers whether any was there.
 */
export async function clearStaleLocks(
  gitDir: string,
  options: { staleAfterMs?: number } = {},
): Promise<boolean> {
  const staleAfterMs = options.staleAfterMs ?? STALE_AFTER_MS;
  const locks = await lockFiles(gitDir);
  await Promise.all(locks.map((path) => clearWhenStale(path, staleAfterMs)));
  return locks.length > 0;
}

async function clearWhenStale(path: string, staleAfterMs: number): Promise<void> {
  const seen = await look(path);
  if (seen === null) return;
  // A clock that was set back makes a lock of the past one of the future.
  const ageMs = Math.max(0, Date.now() - seen.mtimeMs);
  if (ageMs < staleAfterMs) await delay(staleAfterMs - ageMs);
  const now = await look(path);
  const isSame = now !== null && now.ino === seen.ino && now.mtimeMs === seen.mtimeMs;
  if (isSame) await rm(path, { force: true });
}

async function lockFiles(gitDir: string): Promise<string[]> {
  const top = (await readdir(gitDir)).map((name) => join(gitDir, name));
  const refs = (await readdir(join(gitDir, 'refs'), { recursive: true })).map((name) =>
    join(gitDir, 'refs', name),
  );
  return [...top, ...refs].filter((path) => path.endsWith('.lock'));
}

async function look(path: string): Promise<{ ino: number; mtimeMs: number } | null> {
  return await stat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
}
