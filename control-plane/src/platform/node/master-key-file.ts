import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

const MODE = 0o600;

/** The keys in a key file, the current one first; null when there is no such file. */
export function readKeyFile(path: string): string[] | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, MODE);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Makes the file unless another process was faster: then that one's keys are the ones to use. */
export function createKeyFile(path: string, keys: readonly string[]): void {
  const draft = writeDraft(path, keys);
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(path);
}

/** Puts other keys in the file's place; a crash leaves the old content or the new. */
export function replaceKeyFile(path: string, keys: readonly string[]): void {
  renameSync(writeDraft(path, keys), path);
  syncFolder(path);
}

function writeDraft(path: string, keys: readonly string[]): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = openSync(draft, 'wx', MODE);
  try {
    writeSync(file, `${keys.join('\n')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

/** A name is only safe on disk once its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
