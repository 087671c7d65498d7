import type { CheckResult } from '../../connection/journal/journal.ts';
import type { Workspaces } from '../../workspace/open-workspaces.ts';
import type { AttemptContext } from '../attempt-deps.ts';

/** An agent is told three times at most what to mend, so that there are no more states of its work. */
const MAX_TREES = 5;

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

/** What came out of checks on a tree under this lease, by name; a later process knows it too. */
export function resultsOn(context: AttemptContext, tree: string): Map<string, CheckResult> {
  const found = keptOf(context).byTree.find((one) => one.tree === tree);
  return new Map(found?.results.map((result) => [result.name, result]));
}

export function keepResult(context: AttemptContext, tree: string, result: CheckResult): void {
  const { open, byTree } = keptOf(context);
  const results = resultsOn(context, tree).set(result.name, result);
  const others = byTree.filter((one) => one.tree !== tree);
  const trees = [...others, { tree, results: [...results.values()] }].slice(-MAX_TREES);
  context.recorder.progress({ checks: { open, byTree: trees } });
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

export function isFailing({ outcome }: CheckResult): boolean {
  return outcome === 'failed' || outcome === 'timed_out';
}

/** Whether a check is known not to pass on the tree of a commit. */
export async function isKnownToFail(
  context: AttemptContext,
  { mirrorPath }: { mirrorPath: string },
  commitSha: string | null,
): Promise<boolean> {
  if (commitSha === null || keptOf(context).byTree.length === 0) return false;
  const tree = await treeOf(context.deps.workspaces, mirrorPath, commitSha);
  return [...resultsOn(context, tree).values()].some(isFailing);
}

function turnOf({ deps, ref }: AttemptContext): number {
  return deps.journal.get(ref)?.progress.turnNumber ?? 0;
}

function keptOf({ deps, ref }: AttemptContext) {
  return deps.journal.get(ref)?.progress.checks ?? { open: null, byTree: [] };
}
