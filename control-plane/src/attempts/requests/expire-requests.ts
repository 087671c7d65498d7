import { and, eq, isNotNull, lte } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { updateIssue } from '../../db/rows/update-issue.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { requests } from '../../db/schema/work/requests.ts';
import type { Deps } from '../../deps.ts';
import { enqueueComment } from '../../jobs/queue/enqueue-effect.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { enqueuePlanComment } from '../plans/hand-in-plan.ts';

/**
 * Expires questions that nobody answered, and plans that nobody decided, in time. The runner ends the agent's wait by its own
 * clock.
 */
export async function expireRequests(deps: Pick<Deps, 'db' | 'clock'>): Promise<number> {
  const nowMs = deps.clock.nowMs();
  const due = and(eq(requests.state, 'asked'), lte(requests.expires_at_ms, nowMs));
  const rows = await deps.db.select().from(requests).where(due);
  if (rows.length === 0) return 0;
  const plans = await deps.db
    .select({ tracker: attempts.tracker, id: attempts.issue_id, attemptId: attempts.attempt_id })
    .from(requests)
    .innerJoin(attempts, eq(attempts.attempt_id, requests.attempt_id))
    .where(and(due, isNotNull(requests.plan)));
  await deps.db.batch([
    deps.db.update(requests).set({ state: 'expired' }).where(due),
    ...plans.flatMap(({ tracker, id, attemptId }) =>
      expirePlan(deps.db, nowMs, { tracker, id, attemptId }),
    ),
    ...appendEvents(
      deps.db,
      nowMs,
      rows.map((row) => ({
        type: 'request.expired',
        atMs: nowMs,
        data: { requestId: row.request_id, attemptId: row.attempt_id, identifier: row.identifier },
      })),
    ),
  ]);
  return rows.length;
}

type ExpiredPlan = { tracker: string; id: string; attemptId: string };

/** The issue goes on waiting for a person, who can only have another plan made. */
function expirePlan(
  db: Database,
  nowMs: number,
  { tracker, id, attemptId }: ExpiredPlan,
): Statement[] {
  const waitsWithIt = and(
    eq(issues.current_attempt_id, attemptId),
    eq(issues.reason_code, 'plan_waiting'),
  );
  const change = {
    reason: 'nobody decided the plan in time',
    reason_code: 'plan_expired' as const,
  };
  return [
    updateIssue(db, { tracker, id }, change, waitsWithIt),
    enqueueComment(db, nowMs, { tracker, issueId: id, attemptId }),
    enqueuePlanComment(db, nowMs, { issue: { tracker, id }, attemptId }),
  ];
}
