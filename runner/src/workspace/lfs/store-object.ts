import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { lstatOrNull } from '../disk/contained-path.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { type Pointer, objectSteps } from '../lfs-host/parse-pointer.ts';

/**
 * Store of Git LFS objects beside a mirror, by content hash and shared by its workspaces, which see
 * it read-only. git-lfs finds it itself: a clone that borrows git objects from `X/objects` uses
 * `X/lfs/objects`.
 */
export function lfsStorePath(mirrorPath: string): string {
  return join(mirrorPath, 'lfs', 'objects');
}

/** Creates the folder, so that it can be mounted into containers. */
export async function makeStore(mirrorPath: string): Promise<void> {
  await makeFolders(mirrorPath, ['lfs', 'objects']);
}

/** Readable for the users of containers, whatever this process's umask is. */
async function makeFolders(from: string, [name, ...rest]: readonly string[]): Promise<void> {
  if (name === undefined) return;
  const path = join(from, name);
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
  await makeFolders(path, rest);
}

export async function isStored(mirrorPath: string, pointer: Pointer): Promise<boolean> {
  const found = await lstatOrNull(objectPath(mirrorPath, pointer));
  return found?.isFile() === true && found.size === pointer.sizeBytes;
}

export function readStored(mirrorPath: string, pointer: Pointer): Readable {
  return createReadStream(objectPath(mirrorPath, pointer));
}

/**
 * Stores an object if its content matches its pointer. Throws `snapshot_refused` when it does not.
 */
export async function storeObject(
  { paths }: Pick<Workspaces, 'paths'>,
  mirrorPath: string,
  pointer: Pointer,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const draft = join(paths.temporary, `lfs-${randomBytes(8).toString('hex')}`);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    const file = await open(draft, 'wx', 0o600);
    try {
      for await (const part of content) {
        bytes += part.byteLength;
        if (bytes > pointer.sizeBytes) break;
        hash.update(part);
        await file.writeFile(part);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (bytes !== pointer.sizeBytes || hash.digest('hex') !== pointer.oid)
      throw new WorkspaceError('snapshot_refused', 'its content is not what the pointer names');
    const path = objectPath(mirrorPath, pointer);
    await makeFolders(mirrorPath, ['lfs', 'objects', ...objectSteps(pointer.oid).slice(0, 2)]);
    await chmod(draft, 0o444);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function objectPath(mirrorPath: string, { oid }: Pointer): string {
  return join(lfsStorePath(mirrorPath), ...objectSteps(oid));
}

/** Whether a stored object contains one of the texts. */
export async function storedHas(
  mirrorPath: string,
  pointer: Pointer,
  texts: readonly string[],
): Promise<boolean> {
  if (texts.length === 0 || pointer.sizeBytes === 0) return false;
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  let before = Buffer.alloc(0);
  for await (const part of readStored(mirrorPath, pointer) as AsyncIterable<Buffer>) {
    // A text may be split across two chunks.
    const piece = Buffer.concat([before, part]);
    if (texts.some((text) => piece.includes(text))) return true;
    before = piece.subarray(Math.max(0, piece.byteLength - longest + 1));
  }
  return false;
}
