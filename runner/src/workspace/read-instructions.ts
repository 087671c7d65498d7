import { decodeHead } from '@switchyard/shared/text/decode-tail';
import type { FolderHandle } from '../agent-files/folder-handle.ts';
import { readHead, withFolder, withFolderInside } from '../agent-files/with-folder.ts';

/** Bytes of instructions that are read, as many as agent engines themselves read. */
const MAX_BYTES = 32 * 1024;
/** Limit on links and steps in total. */
const MAX_STEPS = 64;

/**
 * A repository's instructions for agents, from the first of these files at its root; null when
 * there is none. Links are followed inside the workspace only. Call it while no agent runs there.
 */
export async function readInstructions(
  workspacePath: string,
  names: readonly string[],
): Promise<string | null> {
  return withFolder(workspacePath, async (root) => {
    for (const name of names) {
      const steps = await stepsBehindLinks(root, workspacePath, name);
      const text = steps === null ? null : await readPlain(root, steps);
      if (text !== null && text.trim() !== '') return text;
    }
    return null;
  });
}

/** The resolved path as single names; null when links lead outside the workspace or nowhere. */
async function stepsBehindLinks(
  root: FolderHandle,
  rootPath: string,
  path: string,
): Promise<string[] | null> {
  let known: string[] = [];
  const waiting = path.split('/');
  for (let left = MAX_STEPS; left > 0; left -= 1) {
    const name = waiting.shift();
    if (name === undefined) return known;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (known.pop() === undefined) return null;
      continue;
    }
    const target = await withFolderInside(root, known, { make: false }, (folder) =>
      folder.linkTarget(name),
    );
    if (target === null) {
      known.push(name);
    } else if (target.startsWith(`${rootPath}/`)) {
      known = [];
      waiting.unshift(...target.slice(rootPath.length).split('/'));
    } else if (target.startsWith('/')) {
      return null;
    } else {
      waiting.unshift(...target.split('/'));
    }
  }
  return null;
}

/** Reads a regular file; null for anything else, such as a pipe, which would never end. */
function readPlain(root: FolderHandle, steps: readonly string[]): Promise<string | null> {
  const name = steps.at(-1);
  if (name === undefined) return Promise.resolve(null);
  return withFolderInside(root, steps.slice(0, -1), { make: false }, async (folder) => {
    const file = await folder.openFile(name);
    if (file === null) return null;
    try {
      return decodeHead(await readHead(file, MAX_BYTES));
    } finally {
      await file.close();
    }
  });
}
