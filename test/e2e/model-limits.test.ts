import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec } from '../../control-plane/scripted-provider/step.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { hang, refusal } from '../support/scripted-model/faults.ts';

const USED = { input: 1_000, cachedInput: 200, output: 50, reasoning: 10 };
const STEP_TOKENS = 1_050;
const BUDGET_TOKENS = 5_000;

describe('an attempt in the middle of a turn', () => {
  let bench: Bench;
  beforeAll(async () => {
    const config = {
      'agent.maxContinuationAttempts': 0,
      'agent.budget.issueTokens': BUDGET_TOKENS,
      'engine.stallTimeoutMs': 12_000,
    };
    // An agent that never comes to an end.
    const script = () => ({ ...exec('sleep 0.3; date'), usage: USED });
    bench = await startBench({ script, slots: 1, config });
  });
  afterAll(() => bench?.close());

  async function endOf(title: string) {
    const { client } = bench;
    const { identifier } = await client.createIssue({ title });
    const issue = await client.issueUntil(
      identifier,
      ({ attempts }) => attempts.at(-1)?.outcome != null,
      'ends an attempt',
    );
    return { issue, attempt: issue.attempts.at(-1) };
  }

  it('is stopped as soon as what its model used is over the budget', async () => {
    const calls = bench.provider.requests.length;
    const { issue, attempt } = await endOf('case:budget');
    expect(attempt).toMatchObject({ failureKind: 'budget_exceeded', turnCount: 1 });
    expect(issue).toMatchObject({ status: 'blocked' });
    const answered = bench.provider.requests.length - calls;
    const counted = (attempt?.tokens.total ?? 0) / STEP_TOKENS;
    // Each answer once, and the last may have been given up half-way.
    expect(Number.isInteger(counted)).toBe(true);
    expect(answered - counted).toBeLessThanOrEqual(1);
    expect(attempt?.tokens.total).toBeGreaterThanOrEqual(BUDGET_TOKENS);
    expect(attempt?.tokens).toMatchObject({
      cachedInput: 200 * counted,
      reasoning: 10 * counted,
    });
  });

  it('is stopped when the provider sends nothing, and the provider is named', async () => {
    bench.provider.setScript(() => hang());
    const { attempt } = await endOf('case:silent');
    expect(attempt).toMatchObject({ outcome: 'failed', failureKind: 'provider_unreachable' });
    expect(attempt?.errorMessage).toMatch(/was asked and has sent nothing for \d+ s/);
  });

  it('is stopped at once when the provider asks for a long wait', async () => {
    const { provider } = bench;
    const calls = provider.requests.length;
    provider.setScript(() => refusal('rate_limit', { retryAfterS: 7_200 }));
    const { issue, attempt } = await endOf('case:429-far');
    expect(attempt).toMatchObject({ outcome: 'failed', failureKind: 'usage_limited' });
    expect(attempt?.errorMessage).toMatch(/ \(the model provider answered 429 .+\)$/);
    const waitMs = Date.parse(issue.nextRetryAt ?? '') - Date.now();
    expect(waitMs).toBeGreaterThan(7_000_000);
    expect(waitMs).toBeLessThanOrEqual(7_200_000);
    expect(provider.requests.length - calls).toBeLessThanOrEqual(6);
  });
});
