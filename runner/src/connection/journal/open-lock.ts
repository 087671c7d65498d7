import Database from 'libsql';

/** Opens the file that locks a folder, without waiting for its lock. */
export function openLock(path: string): Database.Database {
  return new Database(path, { timeout: 0 });
}
