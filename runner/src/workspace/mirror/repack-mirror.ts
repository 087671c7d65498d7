import { type GitLimits, READ_LIMITS, TRANSFER_LIMITS } from '../git/git-limits.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { clearStaleDrafts } from './clear-stale-drafts.ts';

const TIMEOUT_MS = 10 * 60_000;
const LIMITS: GitLimits = { ...READ_LIMITS, fileBytes: TRANSFER_LIMITS.fileBytes };

/**
 * Combines small packs and loose objects of a mirror into larger packs and writes its commit graph.
 * It drops no object and takes no lock, so that fetches, checkouts and workspaces continue. Throws
 * WorkspaceError.
 */
export async function repackMirror(
  workspaces: Pick<Workspaces, 'git'>,
  mirrorPath: string,
  signal: AbortSignal,
): Promise<void> {
  await clearStaleDrafts(mirrorPath);
  const run = (args: readonly string[]) =>
    workspaces.git.run({ gitDir: mirrorPath, args, signal, timeoutMs: TIMEOUT_MS, limits: LIMITS });
  await run(['repack', '--geometric=2', '-d', '-q']);
  await run(['commit-graph', 'write', '--reachable', '--split', '--no-progress']);
}
