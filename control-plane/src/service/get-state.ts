import { sql } from 'drizzle-orm';
import type { TokenUsage } from '@switchyard/shared/api/attempt';
import type { IssueStatus } from '@switchyard/shared/api/issue';
import type { State } from '@switchyard/shared/api/state';
import type { Database } from '../db/database.ts';
import type { RunnerRow } from '../db/schema/runners.ts';
import type { Deps } from '../deps.ts';
import { ZERO_TOKENS } from '../issues/zero-tokens.ts';
import { issueRecord } from '../issues/issue-record.ts';
import { countIssuesByStatus, issuesByStatus } from '../issues/queries.ts';
import { readPause } from '../pause/queries.ts';
import { pausedUpstreams } from '../upstreams/queries.ts';
import { allRunners } from '../runners/queries.ts';

/** Issues shown per status; `counts` tells how many there are. */
const ISSUES_PER_STATUS = 200;

/** The whole picture at once. */
export async function getState(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'service'>,
): Promise<State> {
  const list = async (...statuses: IssueStatus[]) =>
    (await issuesByStatus(deps.db, statuses, ISSUES_PER_STATUS)).map((row) =>
      issueRecord(row, deps.service.publicOrigin),
    );
  const pause = await readPause(deps.db);
  const upstreams = await pausedUpstreams(deps.db);
  return {
    generated_at: new Date(deps.clock.nowMs()).toISOString(),
    counts: await countIssuesByStatus(deps.db),
    queued: await list('queued'),
    running: await list('running'),
    retrying: await list('retrying'),
    blocked: await list('blocked'),
    completed: await list('completed'),
    failed: await list('failed', 'cancelled'),
    totals: await totals(deps.db),
    paused:
      pause === null
        ? null
        : { reason: pause.reason, since: new Date(pause.sinceMs).toISOString() },
    warnings: [
      ...warnings(await allRunners(deps.db), deps.config.problems()),
      ...upstreams.map(
        (row) =>
          `${row.upstream} is paused until ${new Date(row.due_at_ms).toISOString()}: ${row.reason}`,
      ),
    ],
  };
}

async function totals(db: Database): Promise<State['totals']> {
  const field = (name: keyof TokenUsage) =>
    sql.raw(`coalesce(sum(json_extract(tokens, '$.${name}')), 0) as ${name}`);
  const row = await db.get<TokenUsage & { attempts: number; cost_usd: number | null }>(
    sql`select ${field('input')}, ${field('cachedInput')}, ${field('output')}, ${field('reasoning')},
      ${field('total')}, count(*) as attempts, sum(cost_usd) as cost_usd from attempts`,
  );
  if (row === undefined) return { tokens: ZERO_TOKENS, cost_usd: null, attempts: 0 };
  const { attempts, cost_usd, ...tokens } = row;
  return { tokens, cost_usd, attempts };
}

function warnings(runners: RunnerRow[], problems: readonly { message: string }[]): string[] {
  const connected = runners.filter((runner) => runner.connected && runner.revoked_at_ms === null);
  const ofRunners = connected.flatMap((runner) =>
    runner.warnings.map((text) => `${runner.name}: ${text}`),
  );
  return [
    ...new Set([...ofRunners, ...problems.map((problem) => `configuration: ${problem.message}`)]),
  ];
}
