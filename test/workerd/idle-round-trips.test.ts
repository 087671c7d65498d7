import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SocketRunner } from '../support/core/socket-runner.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { until } from '../support/e2e/until.ts';
import { type CountedSqld, countRoundTrips } from '../support/sqld/count-round-trips.ts';
import { startSqld } from '../support/sqld/start-sqld.ts';
import { type Edge, startEdge } from '../support/workerd/start-edge.ts';

const MINUTE_MS = 60_000;
const MAX_A_MINUTE = 10;
const RESTS_WITHIN_MS = 150_000;
const LOOK_MS = 20_000;

describe('an idle installation at the edge with one runner', () => {
  let counted: CountedSqld;
  let edge: Edge;
  let runner: SocketRunner;
  beforeAll(async () => {
    counted = await countRoundTrips(await startSqld());
    edge = await startEdge({ sqld: counted.sqld });
    const client = new ServiceClient(edge.url, () => edge.logs().join('\n'), edge.writeToken);
    runner = await SocketRunner.join(client, 'idle');
    await runner.connect();
    const { identifier } = await client.createIssue({ title: 'Over', state: 'Todo' });
    await client.must('PATCH', `/local/issues/${identifier}`, { state: 'Canceled' });
  });
  afterAll(async () => {
    runner?.close();
    await edge?.close();
  });

  it(`asks its database at most ${MAX_A_MINUTE} times a minute`, { timeout: 300_000 }, async () => {
    let before = counted.roundTrips();
    await until(
      async () => {
        const since = before;
        await delay(LOOK_MS);
        before = counted.roundTrips();
        return before - since;
      },
      (asked) => asked === 0,
      { what: 'the end of what was begun', timeoutMs: RESTS_WITHIN_MS },
    );
    const from = counted.roundTrips();
    await delay(MINUTE_MS);
    expect(counted.roundTrips() - from).toBeLessThanOrEqual(MAX_A_MINUTE);
  });
});
