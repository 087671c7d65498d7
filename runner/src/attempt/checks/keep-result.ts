import { isFailing } from '@switchyard/shared/checks/is-failing';
import type { CheckResult } from '../../connection/journal/journal.ts';
import type { Workspaces } from '../../workspace/open-workspaces.ts';
import type { AttemptContext } from '../attempt-deps.ts';

/** The tree of a commit in the mirror: checks depend on it, not on the commit itself. */
export async function treeOf(
  workspaces: Workspaces,
  mirrorPath: string,
  commitSha: string,
): Promise<string> {
  const { stdout } = await workspaces.git.run({
    gitDir: mirrorPath,
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commitSha}^{tree}`],
  });
  return stdout.trim();
}

/**
 * Results of checks on a tree under this lease, by name, if it is the last checked tree; a later
 * process knows them too.
 */
export function resultsOn(context: AttemptContext, tree: string): Map<string, CheckResult> {
  const { last } = keptOf(context);
  const results = last?.tree === tree ? last.results : [];
  return new Map(results.map((result) => [result.name, result]));
}

export function keepResult(context: AttemptContext, tree: string, result: CheckResult): void {
  const results = resultsOn(context, tree).set(result.name, result);
  const last = { tree, results: [...results.values()] };
  context.recorder.progress({ checks: { ...keptOf(context), last } });
}

/**
 * The tree on which checks ran after this turn and whose changes are not reverted yet; null: none.
 * From the next turn on such changes count as the agent's.
 */
export function openTreeOf(context: AttemptContext): string | null {
  const { open } = keptOf(context);
  return open?.turn === turnOf(context) ? open.tree : null;
}

export function keepOpenTree(context: AttemptContext, tree: string | null): void {
  const open = tree === null ? null : { tree, turn: turnOf(context) };
  context.recorder.progress({ checks: { ...keptOf(context), open } });
}

/** Whether a check is known to fail on a commit's tree. */
export async function isKnownToFail(
  context: AttemptContext,
  { mirrorPath }: { mirrorPath: string },
  commitSha: string | null,
): Promise<boolean> {
  if (commitSha === null || keptOf(context).last === null) return false;
  const tree = await treeOf(context.deps.workspaces, mirrorPath, commitSha);
  return [...resultsOn(context, tree).values()].some(({ outcome }) => isFailing(outcome));
}

function turnOf({ deps, ref }: AttemptContext): number {
  return deps.journal.get(ref)?.progress.turnNumber ?? 0;
}

function keptOf({ deps, ref }: AttemptContext) {
  return deps.journal.get(ref)?.progress.checks ?? { open: null, last: null };
}
