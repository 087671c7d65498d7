import { isFailing } from '@switchyard/shared/checks/is-failing';
import type { CheckResult } from '../../connection/journal/journal.ts';
import type { Workspaces } from '../../workspace/open-workspaces.ts';
import type { AttemptContext } from '../attempt-deps.ts';

/** The tree of a commit in the mirror, which checks read and nothing else of the commit. */
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
 * What came out of checks on a tree under this lease, by name, where it is the last one that any ran on;
 * a later process knows it too.
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
 * The tree that checks ran on after this turn, where their changes are not put back; null: none. What
 * was left to the next turn is the agent's.
 */
export function openTreeOf(context: AttemptContext): string | null {
  const { open } = keptOf(context);
  return open?.turn === turnOf(context) ? open.tree : null;
}

export function keepOpenTree(context: AttemptContext, tree: string | null): void {
  const open = tree === null ? null : { tree, turn: turnOf(context) };
  context.recorder.progress({ checks: { ...keptOf(context), open } });
}

/** Whether a check is known not to pass on the tree of a commit. */
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
