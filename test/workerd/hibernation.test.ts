import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_SETTINGS } from '../contracts/describe-platform.ts';
import { SocketRunner } from '../support/core/socket-runner.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { until } from '../support/e2e/until.ts';
import { type Edge, startEdge } from '../support/workerd/start-edge.ts';

/** The runtime puts an object to sleep after 10 s without an event. */
const ASLEEP_WITHIN_MS = 120_000;
const REST_MS = 25_000;

describe('an object whose runners are idle', () => {
  let edge: Edge;
  let client: ServiceClient;
  let runner: SocketRunner;
  beforeAll(async () => {
    // A tracker that is not looked at for an hour leaves nothing to do.
    edge = await startEdge({
      settings: { ...PLATFORM_SETTINGS, SERVICE_CONFIG__polling__intervalMs: '3600000' },
    });
    client = new ServiceClient(edge.url, () => edge.logs().join('\n'), edge.writeToken);
    runner = await SocketRunner.join(client, 'idle');
  });
  afterAll(async () => {
    runner?.close();
    await edge?.close();
  });

  it('sleeps while their pings are answered, and wakes for work and for frames', async () => {
    const line = await runner.connect();
    await until(
      async () => {
        // Its answer shows that it is awake; then nothing happens.
        line.say({ type: 'renew', ref: 'renew-0', held: [], slots: { total: 1, free: 1 } });
        await line.next('renewed');
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
        return edge.evict('pool');
      },
      (wasAwake) => !wasAwake,
      { what: 'a pool that sleeps by itself', timeoutMs: ASLEEP_WITHIN_MS },
    );
    const pongs = line.texts.length;
    await until(
      () => line.texts.length,
      (now) => now > pongs,
      { what: 'a pong while it sleeps', timeoutMs: ASLEEP_WITHIN_MS },
    );
    expect(await edge.evict('pool')).toBe(false);
    const { identifier } = await client.createIssue({ title: 'Wake up', state: 'Todo' });
    const offer = await line.next('offer');
    line.say({ type: 'decline', attemptId: offer.attemptId, epoch: offer.epoch, code: 'DRAINING' });
    const renewed = line.next('renewed');
    line.say({ type: 'renew', ref: 'renew-1', held: [], slots: { total: 1, free: 1 } });
    expect((await renewed).ref).toBe('renew-1');
    await client.must('PATCH', `/local/issues/${identifier}`, { state: 'Canceled' });
  });
});
