import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_SECRET_PREFIX } from '../../../http/caller/local-access.ts';
import { createFile, replaceFile } from './replace-file.ts';

const FILE_NAME = 'local-secret';
const OTHERS = 0o077;
const SECRET_BYTES = 32;
const MAX_BYTES = 256;
const FORMAT = new RegExp(`^${LOCAL_SECRET_PREFIX}[A-Za-z0-9_-]{43}$`);

/** Path of a data folder's local secret. */
export function localSecretPath(dataDir: string): string {
  return join(dataDir, FILE_NAME);
}

/**
 * The local secret of a data folder; null when there is none, it is not a regular file with a
 * secret, or this user may not read it.
 */
export function readLocalSecret(dataDir: string): string | null {
  return readSecretFile(localSecretPath(dataDir))?.secret ?? null;
}

/**
 * Creates the local secret if there is none. One that other users could read, or that is damaged,
 * is replaced, and `onReplaced` is called with the reason. Concurrent processes end up with the
 * same secret.
 */
export function ensureLocalSecret(dataDir: string, onReplaced: (why: string) => void): void {
  const path = localSecretPath(dataDir);
  const found = readSecretFile(path);
  if (found !== null && found.secret !== null && !found.isShared) return;
  const content = `${LOCAL_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}\n`;
  if (found === null) createFile(path, content);
  else {
    replaceFile(path, content);
    onReplaced(found.isShared ? 'others could read it' : 'it was damaged');
  }
  if (readLocalSecret(dataDir) !== null) return;
  throw new Error(`${path} is no file with a local secret: delete it and start again`);
}

type Found = { secret: string | null; isShared: boolean };

/**
 * Reads the file; null when it does not exist or this user may not open it. Links are not followed,
 * and devices not waited for.
 */
function readSecretFile(path: string): Found | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return null;
    if (code === 'ELOOP' || code === 'ENXIO') return { secret: null, isShared: false };
    throw error;
  }
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) return { secret: null, isShared: false };
    const buffer = Buffer.alloc(MAX_BYTES);
    const text = buffer.toString('utf8', 0, readSync(file, buffer, 0, MAX_BYTES, 0)).trim();
    return { secret: FORMAT.test(text) ? text : null, isShared: (facts.mode & OTHERS) !== 0 };
  } finally {
    closeSync(file);
  }
}
