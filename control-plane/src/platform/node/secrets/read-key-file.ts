import { chmodSync, readFileSync, statSync } from 'node:fs';
import { createFile, replaceFile } from './replace-file.ts';

const MODE = 0o600;

/** The keys in a key file, the current one first; null when there is no file. */
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

/** Creates the file unless another process was first; then the other's keys are used. */
export function createKeyFile(path: string, keys: readonly string[]): void {
  createFile(path, contentOf(keys));
}

/** Replaces the file's keys atomically: a crash leaves the old content or the new. */
export function replaceKeyFile(path: string, keys: readonly string[]): void {
  replaceFile(path, contentOf(keys));
}

function contentOf(keys: readonly string[]): string {
  return `${keys.join('\n')}\n`;
}
