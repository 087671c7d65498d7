import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteTree } from '../disk/delete-tree.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { insteadOfText } from '../git/names-repository.ts';
import type { PreparedWorkspace } from '../workspace.ts';

/** A repository that a container can clone without network access. */
export type ServedMirror = {
  /** Path to mount read-only inside as well, beside the mirror's objects. */
  path: string;
  /** Environment of commands that may clone it by its own address. */
  env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
};

/**
 * A bare repository with only the branches and tags of a mirror: it borrows the objects, and other
 * issues' refs are hidden. git finds it under the repository's own address. It belongs to this
 * host, and nothing that runs for an issue can write to it.
 */
export async function serveMirror(
  workspaces: Workspaces,
  { mirrorPath, objectsPath, baseBranch }: PreparedWorkspace,
  repositoryUrl: string,
): Promise<ServedMirror> {
  const path = join(workspaces.paths.temporary, `served-${randomBytes(8).toString('hex')}`);
  const remove = () => deleteTree(path);
  try {
    const { stdout: refs } = await workspaces.git.run({
      gitDir: mirrorPath,
      args: ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags'],
    });
    const folder = { recursive: true, mode: 0o755 };
    await mkdir(join(path, 'refs'), folder);
    await mkdir(join(path, 'objects', 'info'), folder);
    const gitConfigPath = join(path, 'visitors-config');
    const visitors = '[include]\n\tpath = /etc/gitconfig\n[safe]\n\tdirectory = *\n';
    const files = {
      HEAD: `ref: refs/heads/${baseBranch}\n`,
      config: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
      'packed-refs': refs,
      'objects/info/alternates': `${objectsPath}\n`,
      'visitors-config': visitors + insteadOfText(repositoryUrl, path),
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(path, name), text, { mode: 0o644 });
    }
    return { path, remove, env: { GIT_CONFIG_SYSTEM: gitConfigPath, GIT_TERMINAL_PROMPT: '0' } };
  } catch (error) {
    await remove();
    throw error;
  }
}
