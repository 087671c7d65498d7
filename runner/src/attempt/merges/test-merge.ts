import { namesText } from '@switchyard/shared/text/units/names-text';
import type { MergeSpec } from '@switchyard/shared/protocol/attempt-spec';
import { usedWorkspaceKey } from '../../workspace/branches/keep-merge.ts';
import { shownPath } from '../../workspace/git/shown-path.ts';
import { removeWorkspace } from '../../workspace/remove-workspace.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext, ProxyGrant } from '../attempt-deps.ts';
import { AttemptFailed } from '../attempt-end.ts';
import { checkTree } from '../checks/check-tree.ts';
import { checkWork } from '../checks/check-work.ts';
import { failingMessage } from '../checks/failing-text.ts';
import { resultsOn, treeOf } from '../checks/keep-result.ts';
import type { Companions } from '../companions/companions.ts';
import { withTries } from '../steps/deliver-step.ts';
import { prepareStep } from '../steps/prepare-step.ts';

const AGAIN_MS = [2_000, 2_000];
const SHOWN_FILES = 5;

type Test = {
  mirrorPath: string;
  mergeCommit: string;
  grant: ProxyGrant;
  companions: Pick<Companions, 'aroundCreationHook'>;
};

/**
 * Runs the declared checks on a merge commit in a new workspace of its own. Returns only when every
 * one has passed on exactly this tree. Throws Stopped, and AttemptFailed: `checks_failed`, or
 * `workspace_error` when one could not be run.
 */
export async function testMerge(
  context: AttemptContext,
  merge: MergeSpec,
  { mirrorPath, mergeCommit, grant, companions }: Test,
): Promise<void> {
  const { deps, spec, recorder, control } = context;
  const key = usedWorkspaceKey(spec);
  // What an earlier test left here, as after a crash, was made by this runner.
  await removeWorkspace(deps.workspaces, key);
  control.check();
  const tested = contextOf(context, { key, mergeCommit, baseBranch: merge.baseBranch });
  const workspace = await prepareStep(tested, grant, companions);
  const tree = await treeOf(deps.workspaces, mirrorPath, mergeCommit);
  await refuseOtherFiles(tested, workspace, tree);
  await recorder.phase('streaming');
  const work = { commitSha: mergeCommit, wayOut: grant, again: false };
  const failing = await checkWork(tested, workspace, work);
  control.check();
  if (failing.length > 0) {
    const reasonCode = 'checks_failed';
    throw new AttemptFailed('delivery_refused', failingMessage(failing), { reasonCode });
  }
  refuseUntested(tested, tree);
}

/** The context of an attempt that works in the workspace of the test, from the merge commit. */
function contextOf(
  context: AttemptContext,
  { key, mergeCommit, baseBranch }: { key: string; mergeCommit: string; baseBranch: string },
): AttemptContext {
  const { spec } = context;
  const repository = { ...spec.repository, defaultBranch: baseBranch };
  const resume = { commitSha: mergeCommit };
  return { ...context, spec: { ...spec, workspaceKey: key, repository, resume } };
}

/** Throws when the workspace is not the merge commit: its hooks changed files, for example. */
async function refuseOtherFiles(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  tree: string,
): Promise<void> {
  const { signal } = context.control;
  const trying = { what: 'the workspace could not be compared', againMs: AGAIN_MS };
  const asked = { tree, mode: 'begin', signal } as const;
  const files = await withTries(context, trying, () => checkTree(context, workspace, asked));
  context.control.check();
  if (files.length === 0) return;
  const shown = namesText(files.slice(0, SHOWN_FILES).map(shownPath), files.length);
  throw new AttemptFailed(
    'workspace_error',
    `the merge was not tested, because its workspace differs from the commit; the hooks must leave no files that git does not ignore, and change none (${shown})`,
  );
}

/** Throws unless every declared check has passed on the tree. */
function refuseUntested(context: AttemptContext, tree: string): void {
  const results = resultsOn(context, tree);
  for (const { name } of context.spec.checks ?? []) {
    const result = results.get(name);
    if (result?.outcome === 'passed') continue;
    const why = result?.how ?? 'it has no result';
    throw new AttemptFailed('workspace_error', `the check ${name} could not be run: ${why}`);
  }
}
