import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import { z } from 'zod';
import type { FolderHandle } from '../../agent-files/folder-handle.ts';
import { putFile, readHead, withFolder, withFolderInside } from '../../agent-files/with-folder.ts';
import { walkFolder } from '../../agent-files/walk-folder.ts';

/** Limit before compression; a larger session stays on this host. */
export const MAX_SESSION_PLAIN_BYTES = 192 * 1024 * 1024;
/** Limit on the files of one thread. */
export const MAX_SESSION_FILES = 64;
const MAX_ENTRIES = 20_000;
/** Valid names: agents may choose them, so nothing may leave the folder. */
const SAFE_PATH = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const MAX_PATH_CHARACTERS = 400;

const Archive = z.object({
  version: z.literal(1),
  files: z
    .array(
      z.object({ path: z.string().max(MAX_PATH_CHARACTERS).regex(SAFE_PATH), base64: z.string() }),
    )
    .max(MAX_SESSION_FILES),
});

/** One file of a session, with its path below the engine's sessions folder. */
export type SessionFile = { path: string; bytes: Buffer };

/** Whether a name, possibly chosen by an agent, is valid for a session file. */
export function isSessionPath(path: string): boolean {
  return path.length <= MAX_PATH_CHARACTERS && SAFE_PATH.test(path);
}

/** Packs files of one session into a blob; null when there are none or they are too large. */
export async function packFiles(files: readonly SessionFile[]): Promise<Uint8Array | null> {
  if (files.length === 0) return null;
  const encoded = files.map(({ path, bytes }) => ({ path, base64: bytes.toString('base64') }));
  const text = JSON.stringify({ version: 1, files: encoded });
  const packed = await promisify(gzip)(text, { level: 6 });
  return packed.byteLength > MAX_BLOB_BYTES ? null : packed;
}

/**
 * Packs the files of one thread in a folder below `root`, whose parents no agent could write; null
 * when there are none or they are too large. Without a thread: the files directly in the folder,
 * which are a database of all threads.
 */
export async function packSession(
  root: string,
  threadId: string | null,
  steps: readonly string[] = [],
): Promise<Uint8Array | null> {
  const files = await withFolder(root, (opened) =>
    withFolderInside(opened, steps, { make: false }, (folder) => filesOf(folder, threadId)),
  );
  return files === null ? null : packFiles(files);
}

/**
 * Restores a session's files; a local file that is longer is newer and stays. With `together` all
 * files are restored or none. Throws on damaged data.
 */
export async function unpackSession(
  packed: Uint8Array,
  folder: string,
  { together }: { together: boolean } = { together: false },
): Promise<void> {
  const plain = await promisify(gunzip)(packed, { maxOutputLength: MAX_SESSION_PLAIN_BYTES * 2 });
  const { files } = Archive.parse(JSON.parse(plain.toString('utf8')));
  const done = await withFolder(folder, async (root) => {
    if (together && !(await makeRoom(root, files))) return true;
    for (const { path, base64 } of files) {
      const bytes = Buffer.from(base64, 'base64');
      if (!together && (await sizeOf(root, path)) >= bytes.byteLength) continue;
      await putFile(root, path, (file) => file.writeFile(bytes));
    }
    return true;
  });
  if (done === null) throw new Error('there is no folder for sessions');
}

/** Removes local files before a restore; false when they are larger and so newer. */
async function makeRoom(
  root: FolderHandle,
  files: z.infer<typeof Archive>['files'],
): Promise<boolean> {
  let hereBytes = 0;
  const names: string[] = [];
  for await (const { name, kind } of root.entries()) {
    names.push(name);
    if (kind === 'file') hereBytes += Math.max(0, await sizeOf(root, name));
  }
  const packedBytes = files.reduce(
    (sum, { base64 }) => sum + Buffer.byteLength(base64, 'base64'),
    0,
  );
  if (hereBytes > packedBytes) return false;
  for (const name of names) await root.remove(name);
  return true;
}

/** The files of a session; null when they are too large. */
async function filesOf(root: FolderHandle, threadId: string | null): Promise<SessionFile[] | null> {
  const files: SessionFile[] = [];
  let leftBytes = MAX_SESSION_PLAIN_BYTES;
  for await (const { folder, name, path, kind } of walkFolder(root, { maxEntries: MAX_ENTRIES })) {
    if (files.length >= MAX_SESSION_FILES) break;
    const isPart = threadId === null ? path === name : name.includes(threadId);
    if (kind !== 'file' || !isPart || !isSessionPath(path)) continue;
    const file = await folder.openFile(name);
    if (file === null) continue;
    try {
      const { size } = await file.stat();
      leftBytes -= size;
      if (leftBytes < 0) return null;
      files.push({ path, bytes: await readHead(file, size) });
    } finally {
      await file.close();
    }
  }
  return files;
}

/** Size of a regular file; -1 for anything else. */
async function sizeOf(root: FolderHandle, path: string): Promise<number> {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const found = await withFolderInside(root, steps, { make: false }, (folder) => folder.stat(name));
  return found?.isFile() === true ? found.size : -1;
}
