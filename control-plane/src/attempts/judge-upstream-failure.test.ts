import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/test-database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import { threadUsage } from '../db/schema/work/usage.ts';
import { NO_TOKEN_USAGE } from '../issues/no-token-usage.ts';
import type { Ending } from './decide.ts';
import { attemptById } from './queries.ts';
import { judgeUpstreamFailure } from './judge-upstream-failure.ts';

const PROMPT = 'Please fix the total. ';
const MODELS = 'https://models.example/v1';
const SOME_TOKENS = { ...NO_TOKEN_USAGE, total: 5 };
const UNREACHABLE: Ending = {
  outcome: 'failed',
  failureKind: 'provider_unreachable',
  code: 'provider_unreachable',
  message: 'no answer',
  marker: null,
  resetAtMs: null,
};

function attemptOf(
  issueId: string,
  change: Partial<AttemptRow>,
  account?: string,
): typeof attempts.$inferInsert {
  const engine = { model: 'm', provider: { baseUrl: MODELS }, ...(account && { account }) };
  return {
    attempt_id: `att_${issueId}`,
    tracker: 'local',
    issue_id: issueId,
    identifier: 'SY-1',
    issue_state: 'Todo',
    number: 1,
    status: 'completed',
    outcome: 'completed',
    digest: '',
    spec: { prompt: PROMPT, engine } as never,
    tokens: SOME_TOKENS,
    repository_url: 'https://host.example/a',
    queued_at_ms: 100,
    started_at_ms: 110,
    ended_at_ms: 200,
    ...change,
  };
}

describe('judgeUpstreamFailure', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let read: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    read = '';
    const { client } = database;
    const execute = client.execute.bind(client) as (
      ...given: unknown[]
    ) => ReturnType<typeof client.execute>;
    client.execute = async (...given: unknown[]) => {
      const result = await execute(...given);
      read += JSON.stringify(result.rows);
      return result;
    };
  });
  afterEach(() => database.close());

  /** The second failure in a row of one issue, on an account, after what others saw. */
  async function judged(others: (typeof attempts.$inferInsert)[], account?: string) {
    const { db } = database;
    const failed = { status: 'failed', outcome: 'failed', tokens: NO_TOKEN_USAGE } as const;
    const earlier = { ...failed, failure_kind: 'provider_unreachable', ended_at_ms: 150 } as const;
    const present = {
      attempt_id: 'att_2',
      number: 2,
      status: 'running',
      ended_at_ms: null,
    } as const;
    await db
      .insert(attempts)
      .values([attemptOf('bad', earlier, account), attemptOf('bad', present, account), ...others]);
    const attempt = await attemptById(db, 'att_2');
    if (attempt === null) throw new Error('no attempt');
    read = '';
    return judgeUpstreamFailure(db, attempt, UNREACHABLE);
  }

  it('gives a failure to the issue whose provider serves others on the same account', async () => {
    const served = attemptOf('other', { queued_at_ms: 160 }, 'team');
    expect(await judged([served], 'team')).toMatchObject({ failureKind: 'agent_error' });
  });

  it.each([
    ['another account', 'team', 'spare'],
    ['the only account', 'team', undefined],
    ['an account of several', undefined, 'spare'],
  ])('leaves a failure as it is where others are served on %s', async (_what, own, others) => {
    const served = attemptOf('other', { queued_at_ms: 160 }, others);
    expect(await judged([served], own)).toEqual(UNREACHABLE);
  });

  it('reads no prompt, neither of ended attempts nor of running ones', async () => {
    const running = {
      status: 'running',
      outcome: null,
      ended_at_ms: null,
      tokens: NO_TOKEN_USAGE,
    } as const;
    await database.db.insert(threadUsage).values({
      thread_id: 'att_long/1',
      tracker: 'local',
      issue_id: 'long',
      tokens: SOME_TOKENS,
      updated_at_ms: 250,
    });
    const judgement = await judged([
      attemptOf('long', { ...running, queued_at_ms: 1 }),
      attemptOf('other', { queued_at_ms: 160, outcome: 'failed', tokens: NO_TOKEN_USAGE }),
    ]);
    expect(judgement).toMatchObject({ failureKind: 'agent_error' });
    expect(read).not.toContain(PROMPT);
  });
});
