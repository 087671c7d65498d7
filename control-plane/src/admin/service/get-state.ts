import { eq } from 'drizzle-orm';
import { briefIssue, type IssueStatus } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import type { Database } from '../../db/database.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { usageTotals } from '../../db/schema/work/usage.ts';
import type { Deps } from '../../deps.ts';
import { NO_TOKEN_USAGE } from '../../issues/no-token-usage.ts';
import { issueRecord } from '../../issues/issue-record.ts';
import { countIssuesByStatus, issuesByStatus, issuesForPerson } from '../../issues/queries.ts';
import { readPause } from '../../issues/pause/queries.ts';
import { noticesOf, warningOf } from './notices.ts';
import { pausedUpstreams } from '../../attempts/upstreams/queries.ts';
import { allRunners } from '../../runners/queries.ts';

/** Issues shown for each status; `counts` has the totals. */
const ISSUES_PER_STATUS = 200;

/** The complete state for the overview. */
export async function getState(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'service'>,
): Promise<State> {
  const list = async (status: IssueStatus) => issuesByStatus(deps.db, [status], ISSUES_PER_STATUS);
  const records = (rows: IssueRow[]) =>
    rows.map((row) => briefIssue(issueRecord(row, deps.service.publicOrigin)));
  const [queued, running, retrying, blocked, completed, failed, cancelled] = await Promise.all([
    list('queued'),
    list('running'),
    list('retrying'),
    list('blocked'),
    list('completed'),
    list('failed'),
    list('cancelled'),
  ]);
  const [counts, sums, pause, pauses, runners, forPerson] = await Promise.all([
    countIssuesByStatus(deps.db),
    totals(deps.db),
    readPause(deps.db),
    pausedUpstreams(deps.db),
    allRunners(deps.db),
    issuesForPerson(deps.db, ISSUES_PER_STATUS),
  ]);
  const notices = noticesOf(
    { runners, problems: deps.config.problems(), pauses },
    deps.clock.nowMs(),
  );
  return {
    generated_at: new Date(deps.clock.nowMs()).toISOString(),
    counts,
    queued: records(queued),
    running: records(running),
    retrying: records(retrying),
    blocked: records(blocked),
    completed: records(completed),
    failed: records(newestFirst([...failed, ...cancelled])),
    totals: sums,
    paused:
      pause === null
        ? null
        : { reason: pause.reason, since: new Date(pause.sinceMs).toISOString() },
    warnings: [...new Set(notices.map(warningOf))],
    notices,
    needs_person: records(forPerson),
  };
}

/** Each status is read through its index; combined ones must be sorted again. */
function newestFirst(rows: IssueRow[]): IssueRow[] {
  return rows.toSorted((a, b) => b.updated_at_ms - a.updated_at_ms).slice(0, ISSUES_PER_STATUS);
}

async function totals(db: Database): Promise<State['totals']> {
  const [row] = await db.select().from(usageTotals).where(eq(usageTotals.id, 1));
  if (row === undefined)
    return { tokens: NO_TOKEN_USAGE, cost_usd: null, unpriced_tokens: 0, attempts: 0 };
  const { input, cached_input: cachedInput, output, reasoning, total } = row;
  return {
    tokens: { input, cachedInput, output, reasoning, total },
    cost_usd: row.cost_usd,
    unpriced_tokens: row.unpriced_tokens,
    attempts: row.attempts,
  };
}
