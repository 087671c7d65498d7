import { IMPORT_LIMITS } from '../git/git-limits.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';

export type NewCommit = {
  id: string;
  tree: string;
  parents: string[];
  /** Set only for the pushed commit: the remote already has it. */
  isKnown: boolean;
};

/** The commits of a push, with the mirror and what the remote already has. */
export type PushRange = {
  mirrorPath: string;
  baseCommit: string;
  commitSha: string;
  signal?: AbortSignal;
};

export const CHECK_TIMEOUT_MS = 120_000;
const MAX_LOG_BYTES = 64 * 1024 * 1024;
const FIELDS = '%H%x00%T%x00%P';
const FIELD_COUNT = 3;

/**
 * Commits that no branch of the remote has, parents first; null when there are too many. The last
 * one is the pushed commit, even if it is not new. Throws WorkspaceError.
 */
export async function newCommits(
  workspaces: Workspaces,
  range: PushRange,
): Promise<NewCommit[] | null> {
  const { mirrorPath, baseCommit, commitSha, signal } = range;
  if (!/^[0-9a-f]{40,64}$/.test(commitSha) || !/^[0-9a-f]{40,64}$/.test(baseCommit)) {
    throw new WorkspaceError('git_failed', 'full object ids are needed to check a push');
  }
  const list = async (...which: string[]): Promise<NewCommit[] | null> => {
    const { stdout, truncated } = await workspaces.git.run({
      gitDir: mirrorPath,
      args: ['log', '-z', '--no-show-signature', `--format=${FIELDS}`, ...which, '--'],
      timeoutMs: CHECK_TIMEOUT_MS,
      maxOutputBytes: MAX_LOG_BYTES,
      truncate: true,
      ...(signal === undefined ? {} : { signal }),
    });
    return truncated ? null : parse(stdout);
  };
  const most = IMPORT_LIMITS.MAX_COMMITS;
  const fresh = [commitSha, '--not', baseCommit, '--branches'];
  const found = await list('--topo-order', '--reverse', `--max-count=${most + 1}`, ...fresh);
  if (found === null || found.length > most) return null;
  if (found.some(({ id }) => id === commitSha)) return found;
  const tip = await list('--no-walk', commitSha);
  return tip === null ? null : [...found, ...tip.map((one) => ({ ...one, isKnown: true }))];
}

function parse(listed: string): NewCommit[] {
  const fields = listed.split('\0');
  const commits: NewCommit[] = [];
  for (let at = 0; at + FIELD_COUNT <= fields.length; at += FIELD_COUNT) {
    const [id = '', tree = '', parents = ''] = fields.slice(at, at + FIELD_COUNT);
    const known = parents.split(' ').filter((one) => one !== '');
    commits.push({ id, tree, parents: known, isKnown: false });
  }
  return commits;
}
