import { chownSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCK_FILE = 'holder.lock';

/** The two methods of an SQLite connection that a lock uses. */
export type LockConnection = { exec(sql: string): unknown; close(): unknown };

export type FolderLock = {
  /** Whether the folder still contains the locked file. True when that cannot be determined. */
  isInPlace(): boolean;
  give(): void;
};

/** Whether the folder contains a lock file; false in a folder that was never held. */
export function hasLockFile(folder: string): boolean {
  return existsSync(join(folder, LOCK_FILE));
}

/**
 * Locks a folder; null while another process, or this one, holds the lock. It is the lock that
 * SQLite acquires for a transaction on a file that stays empty. The kernel holds it for the
 * process, suspended or not, and releases it when the process ends, so it depends on no timeout or
 * process id. It works across containers of a machine, and across machines where the file system
 * has locks.
 *
 * Nothing else in this process may open the file: closing a second handle of it releases the lock.
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
      // The rollback releases the lock at once; the driver may close the file later.
      connection.exec('rollback');
      connection.close();
    },
  };
}

/**
 * Creates the lock file only where it is missing, since closing a second handle releases the lock.
 * The folder's owner also owns the file when root creates it.
 */
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
    // Root in a container or on a file server may lack the right to change the owner.
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/**
 * Device and inode of the file; null when they cannot be read, as while a network file system is
 * offline.
 */
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
