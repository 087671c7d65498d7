import { cutText } from '@switchyard/shared/text/cut-text';
import type { FileHandle } from 'node:fs/promises';
import type { WorkIdentity } from '../container/container-engine.ts';
import { FolderHandle } from './folder-handle.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Runs `work` with an open folder and closes it; null when there is none. */
export async function withFolder<T>(
  path: string,
  work: (folder: FolderHandle) => Promise<T>,
): Promise<T | null> {
  const folder = await FolderHandle.open(path);
  if (folder === null) return null;
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/**
 * Runs `work` with the folder at a path below an open one, opened step by step; null when a step is
 * no folder. With `make` missing ones are created, and other entries in their place are removed.
 */
export async function withFolderInside<T>(
  root: FolderHandle,
  path: readonly string[],
  options: { make: boolean; identity?: WorkIdentity },
  work: (folder: FolderHandle) => Promise<T>,
): Promise<T | null> {
  const [name, ...rest] = path;
  if (name === undefined) return work(root);
  const folder = options.make
    ? await madeFolder(root, name, options.identity ?? null)
    : await root.folder(name);
  if (folder === null) return null;
  try {
    return await withFolderInside(folder, rest, options, work);
  } finally {
    await folder.close();
  }
}

async function madeFolder(
  root: FolderHandle,
  name: string,
  identity: WorkIdentity,
): Promise<FolderHandle | null> {
  const there = await root.stat(name);
  if (there !== null && !there.isDirectory()) await root.remove(name);
  return root.makeFolder(name, identity);
}

/** Writes a file at `path`, replacing an entry of that name; `write` fills it. */
export async function putFile(
  root: FolderHandle,
  path: string,
  write: (file: FileHandle) => Promise<void>,
  identity: WorkIdentity = null,
): Promise<void> {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  const made = await withFolderInside(root, steps, { make: true, identity }, async (folder) => {
    await folder.remove(name);
    const file = await folder.createFile(name);
    try {
      await write(file);
    } finally {
      await file.close();
    }
    await folder.own(name, identity);
    return true;
  });
  if (made === null) throw new Error(`a folder of ${JSON.stringify(cutText(path, 200))} is closed`);
}

/** The first bytes of an open file, however it grows meanwhile. */
export async function readHead(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.min(size, maxBytes));
  let length = 0;
  while (length < bytes.byteLength) {
    const { bytesRead } = await file.read(bytes, length, bytes.byteLength - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Copies at most `maxBytes` from one file to another, in pieces. */
export async function copyHead(from: FileHandle, to: FileHandle, maxBytes: number): Promise<void> {
  const piece = Buffer.alloc(Math.min(CHUNK_BYTES, Math.max(1, maxBytes)));
  for (let at = 0; at < maxBytes;) {
    const { bytesRead } = await from.read(piece, 0, Math.min(piece.length, maxBytes - at), at);
    if (bytesRead === 0) return;
    await to.writeFile(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}
