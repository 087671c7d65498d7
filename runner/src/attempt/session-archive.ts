import { mkdir, opendir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';
import { z } from 'zod';

/** Before compression; a session beyond it is not carried to other hosts. */
const MAX_PLAIN_BYTES = 192 * 1024 * 1024;
const MAX_FILES = 64;
const MAX_ENTRIES = 20_000;
/** Names come from where an agent writes: nothing that could leave the folder. */
const SAFE_PATH = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

const Archive = z.object({
  version: z.literal(1),
  files: z
    .array(z.object({ path: z.string().max(400).regex(SAFE_PATH), base64: z.string() }))
    .max(MAX_FILES),
});

/** Compressed files of one thread, or null when there are none or they are too large to carry. */
export async function packSession(folder: string, threadId: string): Promise<Uint8Array | null> {
  const files: z.infer<typeof Archive>['files'] = [];
  let leftBytes = MAX_PLAIN_BYTES;
  for (const path of await filesOf(folder, threadId)) {
    const file = join(folder, path);
    leftBytes -= (await stat(file)).size;
    if (leftBytes < 0) return null;
    files.push({ path, base64: (await readFile(file)).toString('base64') });
  }
  if (files.length === 0) return null;
  const packed = await promisify(gzip)(JSON.stringify({ version: 1, files }), { level: 6 });
  return packed.byteLength > MAX_BLOB_BYTES ? null : packed;
}

/** Puts a session's files back; one that is longer here already is newer and stays. Throws on damage. */
export async function unpackSession(packed: Uint8Array, folder: string): Promise<void> {
  const plain = await promisify(gunzip)(packed, { maxOutputLength: MAX_PLAIN_BYTES * 2 });
  const { files } = Archive.parse(JSON.parse(plain.toString('utf8')));
  for (const { path, base64 } of files) {
    const bytes = Buffer.from(base64, 'base64');
    const target = join(folder, path);
    if ((await sizeOf(target)) >= bytes.byteLength) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, bytes, { mode: 0o600 });
  }
}

/** Plain files below the folder whose name carries the thread's id; symlinks are not followed. */
async function filesOf(folder: string, threadId: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [folder];
  let left = MAX_ENTRIES;
  for (let at = folders.pop(); at !== undefined && left > 0; at = folders.pop()) {
    for await (const entry of await opendir(at)) {
      left -= 1;
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const name = relative(folder, path);
      if (entry.isFile() && entry.name.includes(threadId) && SAFE_PATH.test(name)) found.push(name);
    }
  }
  return found.slice(0, MAX_FILES);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return -1;
    throw error;
  }
}
