import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';
import { CHECK_TIMEOUT_MS, type PushRange } from './new-commits.ts';

/**
 * Stored files and commits by id; null when they exceed `maxBytes` together. git's own display ends
 * at a commit's first NUL and omits unknown headers, but a push sends everything.
 */
export async function readObjects(
  workspaces: Workspaces,
  { mirrorPath, signal }: Pick<PushRange, 'mirrorPath' | 'signal'>,
  { ids, maxBytes }: { ids: readonly string[]; maxBytes: number },
): Promise<Map<string, string> | null> {
  if (ids.length === 0) return new Map();
  try {
    const read = await workspaces.git.readBytes({
      gitDir: mirrorPath,
      args: ['cat-file', '--batch', '--buffer'],
      input: `${ids.join('\n')}\n`,
      timeoutMs: CHECK_TIMEOUT_MS,
      maxOutputBytes: maxBytes,
      ...(signal === undefined ? {} : { signal }),
    });
    return objectsIn(read);
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'limit_exceeded') return null;
    throw error;
  }
}

/**
 * Only files and commits are requested; a submodule in place of a file is missing and has no text.
 */
function objectsIn(output: Buffer): Map<string, string> {
  const texts = new Map<string, string>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0x0a, at);
    const [id = '', , size] = output.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (size === undefined) continue;
    texts.set(id, output.toString('utf8', at, at + Number(size)));
    at += Number(size) + 1;
  }
  return texts;
}
