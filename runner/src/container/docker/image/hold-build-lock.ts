import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** A holder touches its lock every 5 s, so one that was silent for this long is gone. */
const STALE_MS = 60_000;
const TOUCH_MS = 5_000;
const POLL_MS = 250;

const Owner = z.object({ pid: z.int(), host: z.string() });

/**
 * Runs `work` while holding `folder` as a lock between processes; a lock whose holder has died is
 * taken over. `waiting` is called once when another process holds it. Rejects with the signal's
 * reason when that aborts while waiting.
 */
export async function holdBuildLock<T>(
  folder: string,
  { signal, waiting }: { signal: AbortSignal; waiting: () => void },
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 });
  let told = false;
  while (!(await tryTake(folder))) {
    signal.throwIfAborted();
    if (await isStale(folder)) {
      await discard(folder);
      continue;
    }
    if (!told) waiting();
    told = true;
    // The wait has no limit of its own: its holder has one, and is watched.
    await delay(POLL_MS, null, { signal });
  }
  const timer = setInterval(() => {
    const now = new Date();
    utimes(folder, now, now).catch(() => undefined);
  }, TOUCH_MS);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryTake(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  const owner = { pid: process.pid, host: hostname() };
  await writeFile(join(folder, 'owner.json'), JSON.stringify(owner));
  return true;
}

async function isStale(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => null);
  if (found === null) return false;
  if (Date.now() - found.mtimeMs > STALE_MS) return true;
  const owner = await readOwner(folder);
  // Process ids mean something on the holder's own host only; a home may be a shared folder.
  return owner !== null && owner.host === hostname() && !isAlive(owner.pid);
}

/** Renames before removing, so that two that wait never remove each other's fresh lock in steps. */
async function discard(folder: string): Promise<void> {
  const aside = `${folder}.stale.${process.pid}`;
  try {
    await rename(folder, aside);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

async function readOwner(folder: string): Promise<z.infer<typeof Owner> | null> {
  // Between mkdir and write the owner is not known yet; the age decides then.
  const text = await readFile(join(folder, 'owner.json'), 'utf8').catch(() => 'null');
  try {
    return Owner.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
