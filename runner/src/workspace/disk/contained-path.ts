import { cutText } from '@switchyard/shared/text/cut-text';
import { lstat, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WorkspaceError } from '../workspace.ts';

/**
 * The absolute path of a direct child of `parent`, and whether a folder exists there. Throws
 * `workspace_escape` when the name would leave the folder or is a symlink.
 */
export async function containedPath(
  parent: string,
  name: string,
): Promise<{ path: string; exists: boolean }> {
  if (
    name === '' ||
    name === '.' ||
    name === '..' ||
    name !== basename(name) ||
    name.includes('\0')
  ) {
    escape(name, 'leaves its root');
  }
  const path = join(parent, name);
  const found = await lstatOrNull(path);
  if (found === null) return { path, exists: false };
  if (found.isSymbolicLink()) escape(name, 'is a symbolic link');
  if (!found.isDirectory()) escape(name, 'is not a folder');
  if ((await realpath(path)) !== path) escape(name, 'resolves to a place outside its root');
  return { path, exists: true };
}

/** `lstat`, with null for a path that does not exist. */
export async function lstatOrNull(path: string): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function escape(name: string, why: string): never {
  throw new WorkspaceError(
    'workspace_escape',
    `workspace ${JSON.stringify(cutText(name, 80))} ${why}`,
  );
}
