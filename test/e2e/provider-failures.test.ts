import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import {
  fail,
  failUnauthorized,
  failUsageLimit,
  garbage,
} from '../support/scripted-model/faults.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

describe('a model provider that fails', () => {
  let bench: Bench;
  let latest = '';
  beforeAll(async () => {
    const config = { 'agent.maxContinuationAttempts': 1, 'agent.retryBaseMs': 500 };
    bench = await startBench({ script: fixFailingTest(), slots: 1, config });
  });
  afterAll(() => bench?.close());

  // What a failed test leaves behind must not be tried again in the next one; 409 when it is over.
  afterEach(async () => {
    await bench.client.ask('POST', `/api/v1/${latest}/abort`);
  });

  /** Creates an issue and waits for the end of its first attempt. */
  async function firstEnd(title: string) {
    const { client } = bench;
    const { identifier } = await client.createIssue({ title });
    latest = identifier;
    const issue = await client.issueUntil(
      identifier,
      ({ attempts }) => attempts.at(-1)?.outcome != null,
      'ends an attempt',
    );
    return { issue, first: issue.attempts.at(-1) };
  }

  it('says that the key is refused, and goes on when it is accepted', async () => {
    const { client, provider } = bench;
    provider.setScript(failUnauthorized);
    const { issue, first } = await firstEnd('case:401');
    expect(first).toMatchObject({ outcome: 'failed', failureKind: 'auth_failed' });
    expect(first?.errorMessage).toMatch(/401|Incorrect API key/);
    expect(issue.reason).toMatch(/waiting for the model provider/);
    provider.setScript(fixFailingTest());
    // The cap is one retry; what the provider did wrong does not count against it.
    const done = await client.settled(issue.identifier);
    expect(done).toMatchObject({ status: 'completed' });
  });

  it('waits until a used-up account resets', async () => {
    const { client, provider } = bench;
    let resetsAtMs = 0;
    provider.setScript(() => {
      // Counted from the first call, so that a slow start takes nothing away from the wait.
      if (resetsAtMs === 0) resetsAtMs = Math.ceil(Date.now() / 1_000) * 1_000 + 5_000;
      return failUsageLimit(resetsAtMs);
    });
    const { issue, first } = await firstEnd('case:429');
    provider.setScript(fixFailingTest());
    expect(first).toMatchObject({ outcome: 'failed', failureKind: 'usage_limited' });
    expect(first?.errorMessage).toMatch(/usage limit/i);
    expect(issue).toMatchObject({ status: 'retrying' });
    expect(Date.parse(issue.nextRetryAt ?? '')).toBe(resetsAtMs);
    const done = await client.settled(issue.identifier);
    expect(done).toMatchObject({ status: 'completed' });
    expect(Date.parse(done.attempts[0]?.startedAt ?? '')).toBeGreaterThanOrEqual(resetsAtMs);
  });

  it.each([
    ['answers 500', () => fail(500)],
    ['answers with a web page', () => garbage()],
  ])('names a provider that %s', async (title, script) => {
    const { client, provider } = bench;
    provider.setScript(script);
    const { issue, first } = await firstEnd(title);
    expect(first).toMatchObject({ outcome: 'failed', failureKind: 'provider_unreachable' });
    expect(first?.errorMessage).toBeTruthy();
    expect(issue).toMatchObject({ pullRequestUrl: null });
    const abort = await client.ask('POST', `/api/v1/${issue.identifier}/abort`);
    expect(abort.status).toBe(202);
    expect(await client.settled(issue.identifier)).toMatchObject({ status: 'cancelled' });
  });
});
