import { chownSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCK_FILE = 'holder.lock';

/** The two calls of an SQLite connection that a lock needs. */
export type LockConnection = { exec(sql: string): unknown; close(): unknown };

export type FolderLock = {
  /** Whether the folder still has the file that is locked. True when that cannot be told. */
  isInPlace(): boolean;
  give(): void;
};

/** Whether the folder has the file that a lock needs: not where it was never held. */
export function hasLockFile(folder: string): boolean {
  return existsSync(join(folder, LOCK_FILE));
}

/**
 * Locks a folder; null while another process, or this one, has it. The lock is the one that SQLite
 * takes for a transaction, on a file that stays empty. The kernel keeps it for the process, asleep or
 * not, and takes it back with the process: no time and no process id decides. It holds across
 * containers of a machine, and across machines where the file system has locks.
 *
 * Nothing else in this process may open the file: closing a second handle of it ends the lock.
 */
export function takeLock(
  folder: string,
  openLock: (path: string) => LockConnection,
): FolderLock | null {
  const path = join(folder, LOCK_FILE);
  makeFile(folder, path);
  const connection = openLock(path);
  try {
    connection.exec('pragma journal_mode = memory');
    connection.exec('begin immediate');
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
  const file = idOf(path);
  return {
    isInPlace() {
      const now = idOf(path);
      return file === null || now === null || now === file;
    },
    give() {
      // The driver's close may come later.
      connection.exec('rollback');
      connection.close();
    },
  };
}

/** Only where there is none: see above. For the folder's owner, also when root is the first. */
function makeFile(folder: string, path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  try {
    chownSync(path, uid, gid);
  } catch (error) {
    // A container's root, and that of a file server, may give nothing away.
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/** Null when it cannot be told, as while a network file system is away. */
function idOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'none' : null;
  }
}

function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
