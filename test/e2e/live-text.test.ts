import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endless } from '../support/scripted-model/faults.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { until } from '../support/e2e/until.ts';

const LIMIT_MS = 60_000;

describe('what an agent is writing', { timeout: 2 * LIMIT_MS }, () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({ script: () => endless(), slots: 1 });
  });
  afterAll(() => bench?.close());

  it('is shown before it is written to its end, and not kept', async () => {
    const { client } = bench;
    const { identifier } = await client.createIssue({ title: 'Talk for ever' });
    const issue = await until(
      () => client.issue(identifier),
      ({ attempts }: IssueDetail) => attempts[0]?.status === 'running',
      { what: 'a running attempt', timeoutMs: LIMIT_MS },
    );
    const attemptId = issue.attempts[0]?.attemptId ?? '';
    const signal = AbortSignal.timeout(LIMIT_MS);
    const response = await fetch(`${client.url}/api/v1/attempts/${attemptId}/live`, { signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    let heard = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      heard += chunk;
      if (/"text":"\d+ /.test(heard)) break;
    }
    expect(heard).not.toMatch(/^id:/m);
    expect((await client.ask('POST', `/api/v1/${identifier}/abort`)).status).toBe(202);
    await client.settled(identifier);
    const after = await fetch(`${client.url}/api/v1/attempts/${attemptId}/live`, { signal });
    expect(await after.text()).toBe(': connected\n\n');
  });

  it('is nothing for an attempt that is not there', async () => {
    expect((await bench.client.ask('GET', '/api/v1/attempts/att_none/live')).status).toBe(404);
  });
});
