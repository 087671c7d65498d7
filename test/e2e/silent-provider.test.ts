import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { hang } from '../support/scripted-model/faults.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';

describe('a model provider that never answers one issue', () => {
  let bench: Bench;
  beforeAll(async () => {
    const scripts = [{ match: 'case:silent', script: () => hang() }];
    const config = {
      'agent.maxContinuationAttempts': 1,
      'agent.retryBaseMs': 500,
      'engine.stallTimeoutMs': 8_000,
    };
    bench = await startBench({ script: byPrompt(scripts, fixFailingTest()), slots: 1, config });
  });
  afterAll(() => bench?.close());

  it('is a stalled turn of that issue while it answers others, retried and then failed', async () => {
    const { client } = bench;
    const silent = await client.createIssue({ title: 'case:silent' });
    const { attempts } = await client.issueUntil(
      silent.identifier,
      (issue) => issue.attempts.at(-1)?.outcome != null,
      'ends its first attempt',
    );
    // Nobody knows yet whether the provider answers anybody.
    expect(attempts.at(-1)).toMatchObject({
      failureKind: 'provider_unreachable',
      reasonCode: 'provider_silent',
    });
    const other = await client.createIssue({ title: 'Repair it' });
    expect(await client.settled(other.identifier)).toMatchObject({ status: 'completed' });
    const issue = await client.settled(silent.identifier, 90_000);
    expect(issue).toMatchObject({ status: 'failed', reasonCode: 'turn_stalled' });
    expect(issue.reason).toMatch(/has sent nothing for \d+ s .*other issues succeed/);
    const [last, before] = issue.attempts;
    for (const attempt of [before, last])
      expect(attempt).toMatchObject({ outcome: 'stalled', failureKind: 'turn_stalled' });
    expect(issue.attempts).toHaveLength(3);
  });
});
