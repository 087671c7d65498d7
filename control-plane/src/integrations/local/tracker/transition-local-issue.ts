import { and, eq, ne } from 'drizzle-orm';
import { LOCAL_STATES } from '@switchyard/shared/api/work/local-issue';
import { localIssues } from '../../../db/schema/work/local-issues.ts';
import { findState } from '../../../ports/tracker/find-state.ts';
import { type SeenMove, TrackerError } from '../../../ports/tracker/tracker.ts';
import type { LocalTrackerDeps } from './local-tracker-deps.ts';
import { commitServiceWrite, issueForService } from './comments/service-write.ts';
import { nextUpdateMs } from './comments/touch-local-issue.ts';

/**
 * Moves an issue for the service and returns its state afterwards. A no-op when it is already
 * there.
 */
export async function transitionLocalIssue(
  deps: LocalTrackerDeps,
  issueId: string,
  toState: string,
): Promise<SeenMove> {
  const issue = await issueForService(deps, issueId);
  const state = findState(LOCAL_STATES, toState);
  if (state === undefined) {
    throw new TrackerError('status', `the built-in tracker has no state named ${toState}`);
  }
  const nowMs = deps.clock.nowMs();
  await commitServiceWrite(deps, issue, {
    statement: deps.db
      .update(localIssues)
      .set({ state, updated_at_ms: nextUpdateMs(nowMs) })
      .where(and(eq(localIssues.id, issueId), ne(localIssues.state, state))),
    operation: 'local_issue.transition',
    details: { from: issue.state, to: state },
  });
  const seen = await issueForService(deps, issueId);
  return { before: issue.state, state: seen.state, updatedAtMs: seen.updated_at_ms };
}
