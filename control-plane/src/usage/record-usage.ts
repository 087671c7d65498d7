import { sql } from 'drizzle-orm';
import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import type { Database, Statement } from '../db/database.ts';
import type { Cost } from './cost-of.ts';
import { utcDay } from './thread-cost.ts';
import { setAttemptUsage } from '../attempts/rows/update-attempt.ts';
import { setIssueUsage } from '../db/rows/update-issue.ts';

export type UsageReport = {
  tracker: string;
  issueId: string;
  attemptId: string;
  /** The lease whose usage this is, or the thread if the runner knows only its totals. */
  source: { attemptId: string; epoch: number } | { threadId: string };
  model: string | null;
  tokens: TokenUsage;
  cost: Cost;
  /** The report has only a sum, which replaces the stored usage by model only if it is larger. */
  isSumOnly?: boolean;
  nowMs: number;
};

const TOKEN_SUM = sql.raw(`json_object(
  'input', coalesce(sum(json_extract(tokens, '$.input')), 0),
  'cachedInput', coalesce(sum(json_extract(tokens, '$.cachedInput')), 0),
  'output', coalesce(sum(json_extract(tokens, '$.output')), 0),
  'reasoning', coalesce(sum(json_extract(tokens, '$.reasoning')), 0),
  'total', coalesce(sum(json_extract(tokens, '$.total')), 0))`);

const UNPRICED_SUM = sql.raw('coalesce(sum(unpriced_tokens), 0)');
const TOTAL = `json_extract(tokens, '$.total')`;

/**
 * Statements that store the total usage of a lease (or thread): the day gets the increase since the
 * last report, the attempt the sum of its leases, the issue the sum of its attempts. A report older
 * than the stored one is a no-op.
 */
export function recordUsage(db: Database, report: UsageReport): Statement[] {
  const { tokens, cost, nowMs } = report;
  const source = sourceKey(report);
  const before = (column: string) =>
    sql`coalesce((select ${sql.raw(column)} from thread_usage where thread_id = ${source}), 0)`;
  const isNews = sql.raw(report.isSumOnly === true ? '>' : '>=');
  /** The increase of one figure for the day; 0 for a report older than the stored one. */
  const added = (figure: number, column: string) =>
    sql`iif(${tokens.total} ${isNews} ${before(TOTAL)}, ${figure} - ${before(column)}, 0)`;
  const ofIssue = sql`from thread_usage
    where tracker = ${report.tracker} and issue_id = ${report.issueId}`;
  return [
    // A changed price corrects the day's cost in either direction; a first price moves its tokens
    // out of the unpriced ones.
    db.run(sql`insert into usage_days (day, tokens, cost_usd, unpriced_tokens)
      values (${utcDay(nowMs)}, ${added(tokens.total, TOTAL)}, max(0, ${added(cost.usd ?? 0, 'cost_usd')}),
        max(0, ${added(cost.unpricedTokens, 'unpriced_tokens')}))
      on conflict (day) do update set tokens = tokens + excluded.tokens,
        cost_usd = max(0, cost_usd + ${added(cost.usd ?? 0, 'cost_usd')}),
        unpriced_tokens = max(0, unpriced_tokens + ${added(cost.unpricedTokens, 'unpriced_tokens')})`),
    db.run(sql`insert into thread_usage (thread_id, tracker, issue_id, model, tokens, cost_usd, unpriced_tokens, updated_at_ms)
      values (${source}, ${report.tracker}, ${report.issueId}, ${report.model}, ${JSON.stringify(tokens)},
        ${cost.usd}, ${cost.unpricedTokens}, ${nowMs})
      on conflict (thread_id) do update set tokens = excluded.tokens, cost_usd = excluded.cost_usd,
        unpriced_tokens = excluded.unpriced_tokens,
        updated_at_ms = iif(
          json_extract(excluded.tokens, '$.total') > json_extract(thread_usage.tokens, '$.total'),
          excluded.updated_at_ms, thread_usage.updated_at_ms)
      where json_extract(excluded.tokens, '$.total') ${isNews} json_extract(thread_usage.tokens, '$.total')`),
    setIssueUsage(
      db,
      { tracker: report.tracker, id: report.issueId },
      {
        tokens: sql`(select ${TOKEN_SUM} ${ofIssue})`,
        cost_usd: sql`(select sum(cost_usd) ${ofIssue})`,
        unpriced_tokens: sql`(select ${UNPRICED_SUM} ${ofIssue})`,
      },
    ),
    ofAttempt(db, report),
  ];
}

/** The attempt's usage: the sum over all its leases. */
function ofAttempt(db: Database, report: UsageReport): Statement {
  const { attemptId, cost, source } = report;
  if ('threadId' in source) {
    const { usd, unpricedTokens } = cost;
    return setAttemptUsage(db, attemptId, { cost_usd: usd, unpriced_tokens: unpricedTokens });
  }
  const leases = sql`from thread_usage
    where thread_id > ${`${attemptId}/`} and thread_id < ${`${attemptId}0`}`;
  return setAttemptUsage(db, attemptId, {
    tokens: sql`(select ${TOKEN_SUM} ${leases})`,
    cost_usd: sql`(select sum(cost_usd) ${leases})`,
    unpriced_tokens: sql`(select ${UNPRICED_SUM} ${leases})`,
  });
}

function sourceKey({ source }: UsageReport): string {
  return 'threadId' in source ? source.threadId : `${source.attemptId}/${source.epoch}`;
}
