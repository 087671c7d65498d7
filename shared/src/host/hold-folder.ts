import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../text/parse-json.ts';
import { FolderHeld, FolderHolder } from './folder-holder.ts';
import { type FolderLock, hasLockFile, type LockConnection, takeLock } from './folder-lock.ts';

const WORDS_FILE = 'holder.json';
/** Tries to acquire the lock: a process that only checks it holds it briefly. */
const TRIES = 6;
/** Tries while a new holder has not recorded itself yet. */
const UNNAMED_TRIES = 20;
const RETRY_MS = 50;
const WATCH_MS = 5_000;

export type HoldOptions = {
  /** The command for people, for example `switchyard start`. */
  command: string;
  /** Opens or creates an SQLite file without waiting for another process's lock. */
  openLock: (path: string) => LockConnection;
  /** Process that supervises this one. */
  keeperPid?: number | null;
  /** Interval at which the hold is checked, milliseconds. */
  watchMs?: number;
};

export type FolderHold = {
  /** Records the address at which this process serves, for the message that other processes get. */
  serveAt(address: string): void;
  /**
   * Aborts with FolderHeld when another process has acquired the folder although this one is alive.
   */
  readonly lost: AbortSignal;
  /**
   * Releases the folder; later calls are no-ops. The end of the process releases it too, however it
   * ends.
   */
  release(): void;
};

/**
 * Acquires a folder for this process alone and creates it where it is missing. Throws FolderHeld
 * while another process holds it, under any path.
 */
export async function holdFolder(folder: string, options: HoldOptions): Promise<FolderHold> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(folder, options);
  try {
    return keep(folder, lock, options);
  } catch (error) {
    lock.give();
    throw error;
  }
}

/** Throws FolderHeld while a process holds the folder. Changes nothing. */
export async function requireFree(
  folder: string,
  options: Pick<HoldOptions, 'openLock'>,
): Promise<void> {
  if (hasLockFile(folder)) (await lockFolder(folder, options)).give();
}

/**
 * The current holder as it recorded itself; null when nobody holds the folder or the holder left no
 * record.
 */
export function holderOf(
  folder: string,
  { openLock }: Pick<HoldOptions, 'openLock'>,
): FolderHolder | null {
  const holder = hasLockFile(folder) ? readHolder(folder) : null;
  const lock = holder === null ? null : takeLock(folder, openLock);
  if (lock === null) return holder;
  // Nobody holds the lock, so the record is left over from a killed process.
  lock.give();
  return null;
}

async function lockFolder(
  folder: string,
  { openLock }: Pick<HoldOptions, 'openLock'>,
): Promise<FolderLock> {
  for (let tries = 1; ; tries += 1) {
    const lock = takeLock(folder, openLock);
    if (lock !== null) return lock;
    const isNamed = readHolder(folder) !== null;
    if (tries >= (isNamed ? TRIES : UNNAMED_TRIES)) throw heldBy(folder);
    await delay(RETRY_MS);
  }
}

function keep(folder: string, first: FolderLock, options: HoldOptions): FolderHold {
  let lock = first;
  let holder: FolderHolder = {
    id: randomUUID(),
    command: options.command,
    pid: process.pid,
    host: hostname(),
    sinceMs: Date.now(),
    address: null,
    keeperPid: options.keeperPid ?? null,
  };
  let released = false;
  const lost = new AbortController();
  writeHolder(folder, holder);
  const timer = setInterval(() => {
    if (stillHolds()) return;
    clearInterval(timer);
    lost.abort(heldBy(folder));
  }, options.watchMs ?? WATCH_MS);
  timer.unref();

  /**
   * Whether this process still holds the folder. Another process records itself only after it has
   * the lock.
   */
  function stillHolds(): boolean {
    const named = readHolder(folder);
    const isOther = named !== null && named.id !== holder.id;
    if (isOther && named.sinceMs >= holder.sinceMs) return false;
    try {
      if (!lock.isInPlace() && !retake()) return false;
      // An older record comes from a copy of the folder: that holder had released it before this
      // process began.
      if (isOther) writeHolder(folder, holder);
    } catch {
      // The folder was removed or cannot be written, so nobody else can hold it either.
    }
    return true;
  }

  /**
   * Locks the folder again after somebody removed the lock file; false when another process was
   * faster.
   */
  function retake(): boolean {
    const again = takeLock(folder, options.openLock);
    if (again === null) return false;
    const former = lock;
    lock = again;
    writeHolder(folder, holder);
    former.give();
    return true;
  }

  return {
    lost: lost.signal,
    serveAt(address) {
      holder = { ...holder, address };
      writeHolder(folder, holder);
    },
    release() {
      if (released) return;
      released = true;
      clearInterval(timer);
      try {
        if (readHolder(folder)?.id === holder.id) rmSync(join(folder, WORDS_FILE), { force: true });
      } finally {
        lock.give();
      }
    },
  };
}

function heldBy(folder: string): FolderHeld {
  return new FolderHeld(folder, readHolder(folder), { host: hostname() });
}

function readHolder(folder: string): FolderHolder | null {
  try {
    const text = readFileSync(join(folder, WORDS_FILE), 'utf8');
    return FolderHolder.safeParse(parseJson(text)).data ?? null;
  } catch {
    // The record is missing, or belongs to another user.
    return null;
  }
}

/**
 * Writes the holder's record to a temporary file and renames it, so that a reader gets the old or
 * the new record. On a full disk the record is removed, since the old one would name the wrong
 * process.
 */
function writeHolder(folder: string, holder: FolderHolder): void {
  const path = join(folder, WORDS_FILE);
  const draft = `${path}.new`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(holder)}\n`, { flag: 'wx', mode: 0o644 });
    renameSync(draft, path);
  } catch {
    rmSync(path, { force: true });
  }
}
