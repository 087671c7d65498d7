import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * git holds locks for milliseconds, seconds at most; a git process of this runner may outlive it.
 */
const STALE_AFTER_MS = 15_000;

/**
 * Removes abandoned lock files of refs and configuration from a bare repository: old ones, and
 * those unchanged while it waited, whatever their date. Waits at most 15 s; a lock that was taken
 * again stays. Resolves with whether any was there.
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
  const seen = await statOf(path);
  if (seen === null) return;
  // After the clock was set back, an old lock may have a future date.
  const ageMs = Math.max(0, Date.now() - seen.mtimeMs);
  if (ageMs < staleAfterMs) await delay(staleAfterMs - ageMs);
  const now = await statOf(path);
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

async function statOf(path: string): Promise<{ ino: number; mtimeMs: number } | null> {
  return await stat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
}
