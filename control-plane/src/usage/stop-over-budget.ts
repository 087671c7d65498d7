import type { AttemptRow } from '../db/schema/work/attempts.ts';
import { requestCancel } from '../attempts/request-cancel.ts';
import { attemptWithIssue } from '../attempts/queries.ts';
import type { Deps } from '../deps.ts';
import { type BudgetView, judgeBudget } from './decide.ts';

/**
 * Stops a running attempt whose issue, tree or day has used up its budget; false when it may
 * continue.
 */
export async function stopOverBudget(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections'>,
  attempt: Pick<AttemptRow, 'attempt_id' | 'cancel_requested_at_ms'>,
  used: BudgetView,
): Promise<boolean> {
  if (attempt.cancel_requested_at_ms !== null) return false;
  const config = await deps.config.load();
  const verdict = judgeBudget(used, config.agent.budget, 'running');
  if (!verdict.exceeded) return false;
  const pair = await attemptWithIssue(deps.db, attempt.attempt_id);
  if (pair === null || pair.attempt.status !== 'running' || pair.attempt.released_at_ms !== null)
    return false;
  return requestCancel(deps, {
    ...pair,
    reason: verdict.reason,
    code: verdict.code,
    kind: 'budget',
  });
}
