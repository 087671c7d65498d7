import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_FILE_BYTES = 64 * 1_048_576;

/** Files at or below a path that contain the text; symlinks are not followed. */
export async function filesWith(path: string, text: string): Promise<string[]> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return [];
  if (found.isDirectory()) {
    const names = await readdir(path).catch(unlessGone<string[]>([]));
    const below = await Promise.all(names.map((name) => filesWith(join(path, name), text)));
    return below.flat();
  }
  if (!found.isFile() || found.size > MAX_FILE_BYTES) return [];
  const bytes = await readFile(path).catch(unlessGone(Buffer.alloc(0)));
  return bytes.includes(text) ? [path] : [];
}

/** A service that runs removes files of its own: what is gone holds nothing. */
function unlessGone<T>(nothing: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code !== 'ENOENT') throw error;
    return nothing;
  };
}
