import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';

const MODE = 0o600;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Atomically replaces a file by one that only this user can read. */
export function replaceFile(path: string, content: string): void {
  renameSync(writeDraft(path, content), path);
  syncFolder(path);
}

/** Creates a file that only this user can read. False when the name already exists. */
export function createFile(path: string, content: string): boolean {
  const draft = writeDraft(path, content);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
    syncFolder(path);
  }
}

function writeDraft(path: string, content: string): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = openSync(draft, NEW_FILE, MODE);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

/** Flushes a folder: a new name is only durable once its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
