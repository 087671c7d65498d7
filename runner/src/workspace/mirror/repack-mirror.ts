import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitLimits, READ_LIMITS, TRANSFER_LIMITS } from '../git/git-limits.ts';
import type { Workspaces } from '../open-workspaces.ts';

const TIMEOUT_MS = 10 * 60_000;
const LIMITS: GitLimits = { ...READ_LIMITS, fileBytes: TRANSFER_LIMITS.fileBytes };
/** No git of this runner writes one pack for that long. */
const STALE_AFTER_MS = 60 * 60_000;

/**
 * Combines small packs and loose objects of a mirror into larger packs and writes its commit graph.
 * No object is dropped, reachable or not, so it takes no lock: fetches, checkouts and workspaces that
 * borrow objects go on meanwhile. Throws WorkspaceError.
 */
export async function repackMirror(
  workspaces: Pick<Workspaces, 'git'>,
  mirrorPath: string,
  signal: AbortSignal,
): Promise<void> {
  await removeStaleDrafts(join(mirrorPath, 'objects', 'pack'));
  const run = (args: readonly string[]) =>
    workspaces.git.run({
      ...{ gitDir: mirrorPath, args, signal },
      ...{ timeoutMs: TIMEOUT_MS, limits: LIMITS },
    });
  await run(['repack', '--geometric=2', '-d', '-q']);
  await run(['commit-graph', 'write', '--reachable', '--split', '--no-progress']);
}

/** Temporary packs of a git that was killed; git itself removes them only in a full collection. */
async function removeStaleDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => /^\.?tmp[-_]/.test(name));
  for (const name of drafts) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > STALE_AFTER_MS)
      await rm(path, { force: true });
  }
}
