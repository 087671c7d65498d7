import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../text/parse-json.ts';
import { FolderHeld, FolderHolder } from './folder-holder.ts';
import { type FolderLock, hasLockFile, type LockConnection, takeLock } from './folder-lock.ts';

const WORDS_FILE = 'holder.json';
/** Someone who only looks has the lock for a moment. */
const TRIES = 6;
/** While a new holder has yet to write who it is. */
const UNNAMED_TRIES = 20;
const RETRY_MS = 50;
const WATCH_MS = 5_000;

export type HoldOptions = {
  /** For people, for example `switchyard start`. */
  command: string;
  /** Opens or creates an SQLite file without waiting for anybody's lock. */
  openLock: (path: string) => LockConnection;
  /** Process that started this one and keeps it running. */
  keeperPid?: number | null;
  /** How often to look whether the folder is still held. */
  watchMs?: number;
};

export type FolderHold = {
  /** Tells those who are refused where this process serves. */
  serveAt(address: string): void;
  /** Aborts, with a FolderHeld, when another process has the folder although this one lives. */
  readonly lost: AbortSignal;
  /** Lets others have the folder, once. The end of the process does so too, however it ends. */
  release(): void;
};

/**
 * Takes a folder for this process alone, and makes it where it is missing. Throws FolderHeld while
 * another process has it, by whatever path.
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

/** Throws FolderHeld while a process holds the folder. Leaves everything as it is. */
export async function requireFree(
  folder: string,
  options: Pick<HoldOptions, 'openLock'>,
): Promise<void> {
  if (hasLockFile(folder)) (await lockFolder(folder, options)).give();
}

/** Who holds the folder now, in its own words; null when nobody does, or left none. */
export function holderOf(
  folder: string,
  { openLock }: Pick<HoldOptions, 'openLock'>,
): FolderHolder | null {
  const holder = hasLockFile(folder) ? readHolder(folder) : null;
  const lock = holder === null ? null : takeLock(folder, openLock);
  if (lock === null) return holder;
  // They were left by one that was killed.
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

  /** Others write about themselves only once they have the lock. */
  function stillHolds(): boolean {
    const named = readHolder(folder);
    const isOther = named !== null && named.id !== holder.id;
    if (isOther && named.sinceMs >= holder.sinceMs) return false;
    try {
      if (!lock.isInPlace() && !retake()) return false;
      // Who came before this one has left it the folder: its words are those of a copy.
      if (isOther) writeHolder(folder, holder);
    } catch {
      // The folder is gone or takes no file: nobody else can have it either.
    }
    return true;
  }

  /** Somebody removed the lock's file: whoever comes first has the folder from now on. */
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
    // Not there, or of a holder that is another user.
    return null;
  }
}

/**
 * Written beside and renamed: a reader sees the former holder or this one. Without room on the disk
 * nobody is named, since a former holder must not be taken for this one.
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
