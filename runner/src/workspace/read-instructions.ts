import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** As much as agent engines read of such files themselves. */
const MAX_BYTES = 32 * 1024;

/**
 * What a repository tells agents, from the first of these files at its root; null when there is
 * none. Links are followed inside the workspace only. Call it while no agent runs there.
 */
export async function readInstructions(
  workspacePath: string,
  names: readonly string[],
): Promise<string | null> {
  const root = await realpath(workspacePath);
  for (const name of names) {
    const path = await realpath(join(root, name)).catch(() => null);
    if (path === null || !path.startsWith(root + sep)) continue;
    const text = await readPlain(path);
    if (text !== null && text.trim() !== '') return text;
  }
  return null;
}

/** Null for what is no plain file: a pipe would never end. */
async function readPlain(path: string): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => null);
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) return null;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
