import { and, eq, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { OF_ONE_RUNNER } from '@switchyard/shared/reasons/needs-person';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../db/schema/work/issues.ts';
import { type UpstreamPauseRow, upstreamPauses } from '../db/schema/work/pauses.ts';
import { type RunnerRow, runners } from '../db/schema/runners/runners.ts';
import { type ShownAttempt, shownColumns } from '../attempts/queries.ts';
import { issueKey } from '../attempts/upstreams/provider-upstream.ts';

/**
 * Most candidates that one dispatch considers. The query keeps no position, so further ones wait
 * until some of these no longer match it.
 */
const MAX_CANDIDATES = 5_000;

/**
 * The runner of an issue's newest attempt; `isUnfit` when it could not start the issue and no
 * person has retried it since.
 */
export type LastRunner = { runnerId: string; isUnfit: boolean };

export type DispatchRows = {
  candidates: IssueRow[];
  live: ShownAttempt[];
  /** Queued attempts with their latest specification: without a runner, or offered to one. */
  waiting: AttemptRow[];
  runners: RunnerRow[];
  pauses: UpstreamPauseRow[];
  /**
   * Runner of the newest attempt of issues that continue, by `issueKey`: it has their workspace.
   */
  lastRunners: Map<string, LastRunner>;
};

/**
 * Reads issues, attempts, runners and pauses for dispatch in one batch; `attemptMs` is the time
 * limit of one attempt.
 */
export async function readDispatchRows(
  db: Database,
  nowMs: number,
  attemptMs: number,
): Promise<DispatchRows> {
  const [candidates, live, waiting, runnerRows, pauses, last] = await db.batch([
    db
      .select()
      .from(issues)
      .where(
        or(
          and(
            inArray(issues.status, ['idle', 'queued', 'retrying']),
            or(isNull(issues.next_retry_at_ms), lte(issues.next_retry_at_ms, nowMs)),
          ),
          // Parked over a budget: it resumes when the budget is raised or a new day begins.
          and(eq(issues.status, 'blocked'), eq(issues.parked_kind, 'budget')),
          // Resumes when the time limit of an attempt is raised above that of its last attempt.
          and(
            eq(issues.status, 'blocked'),
            eq(issues.parked_kind, 'attempt_time'),
            lastMightTakeLessThan(attemptMs),
          ),
        ),
      )
      .limit(MAX_CANDIDATES),
    db
      .select(shownColumns)
      .from(attempts)
      .where(inArray(attempts.status, ['queued', 'running'])),
    db.select().from(attempts).where(eq(attempts.status, 'queued')),
    db.select().from(runners).where(isNull(runners.revoked_at_ms)),
    db.select().from(upstreamPauses),
    db
      .select({
        tracker: issues.tracker,
        id: issues.id,
        runCount: issues.run_count,
        runnerId: attempts.runner_id,
        code: attempts.reason_code,
      })
      .from(issues)
      .innerJoin(attempts, eq(attempts.attempt_id, issues.current_attempt_id))
      .where(and(inArray(issues.status, ['queued', 'retrying']), isNotNull(attempts.runner_id)))
      .limit(MAX_CANDIDATES),
  ]);
  const lastRunners = new Map(
    last.map(({ tracker, id, runCount, runnerId, code }) => {
      const isUnfit = runCount > 0 && code !== null && OF_ONE_RUNNER.has(code);
      return [issueKey(tracker, id), { runnerId: runnerId ?? '', isUnfit }];
    }),
  );
  return { candidates, live, waiting, runners: runnerRows, pauses, lastRunners };
}

function lastMightTakeLessThan(attemptMs: number) {
  return sql`exists (select 1 from attempts a where a.attempt_id = ${issues.current_attempt_id}
    and a.spec ->> '$.limits.attemptMs' < ${attemptMs})`;
}
