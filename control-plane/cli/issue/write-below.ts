import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

type Named = {
  /** Path below the folder, with `/`, as the service or an agent named it. */
  path: string;
  bytes: Uint8Array;
  /** Whether an existing file may be replaced. */
  force: boolean;
};

/**
 * Writes a file below a folder under an untrusted relative path, and creates that path's folders.
 * Follows no link there; returns the full path. Throws when it cannot be written.
 */
export async function writeBelow(folder: string, { path, bytes, force }: Named): Promise<string> {
  const names = path.split('/');
  if (!names.every(isUsable))
    throw new Error('its name leads elsewhere, or has what no file may have in its name');
  await mkdir(folder, { recursive: true });
  let place = folder;
  for (const name of names.slice(0, -1)) {
    place = join(place, name);
    await makeFolder(place);
  }
  const target = join(place, names.at(-1) ?? '');
  if (!force) await writeNew(target, bytes);
  else {
    // Renaming replaces a link instead of following it.
    const part = join(place, `.${randomUUID()}.part`);
    try {
      await writeNew(part, bytes);
      await rename(part, target);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }
  return target;
}

/**
 * Refuses git's own folder: git executes what is in it, and the chosen folder may be a checkout.
 */
function isUsable(name: string): boolean {
  return !/^(?:\.{0,2}|\.git)$/i.test(name) && !/[\p{Cc}\\]/u.test(name);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!isThere(error)) throw error;
    if (!(await lstat(path)).isDirectory())
      throw new Error(`${path} is no folder: remove it, or choose another folder`, {
        cause: error,
      });
  }
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  // Exclusive creation follows no link and overwrites no file.
  const file = await open(path, 'wx').catch((error: unknown) => {
    if (!isThere(error)) throw error;
    throw new Error(`${path} is there already: replace it with --force`, { cause: error });
  });
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
