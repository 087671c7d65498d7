import { isFailing } from '@switchyard/shared/checks/is-failing';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { AttemptFailed, type Delivery, failureOfStep } from '../attempt-end.ts';
import type { WayOut } from '../session/start-engine.ts';
import { putBackStopped } from './check-tree.ts';
import { checkWork } from './check-work.ts';
import { failingMessage } from './failing-text.ts';
import { openTreeOf, resultsOn } from './keep-result.ts';

/**
 * Runs the checks again if the work differs from what the agent ended with. Throws AttemptFailed
 * with the failed checks; the work is not kept as a delivery, so that only a person can deliver it.
 */
export async function refuseFailing(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  { wayOut, delivery }: { wayOut: WayOut | null; delivery: Delivery },
): Promise<void> {
  const work = { commitSha: delivery.commitSha, wayOut, again: false };
  const failing = await checkWork(context, workspace, work).catch((error: unknown) => {
    context.control.check();
    throw failureOfStep(error, 'workspace_error');
  });
  context.control.check();
  if (failing.length === 0) return;
  const reasonCode = 'checks_failed';
  throw new AttemptFailed('delivery_refused', failingMessage(failing), { reasonCode, delivery });
}

/**
 * Throws if files of a check remain in the workspace of finished work: they cannot be told from the
 * work any more.
 */
export async function refuseStrayFiles(
  context: AttemptContext,
  workspace: PreparedWorkspace,
): Promise<void> {
  if (openTreeOf(context) === null) return;
  await putBackStopped(context, workspace);
  context.control.check();
  const tree = openTreeOf(context);
  if (tree === null || context.result.marker !== 'DONE') return;
  const failing = [...resultsOn(context, tree).values()].filter(({ outcome }) =>
    isFailing(outcome),
  );
  if (failing.length === 0)
    throw new AttemptFailed('workspace_error', 'what a check changed could not be put back');
  const reasonCode = 'checks_failed';
  throw new AttemptFailed('delivery_refused', failingMessage(failing), { reasonCode });
}
