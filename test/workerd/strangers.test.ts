import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_SETTINGS } from '../contracts/describe-platform.ts';
import { createRunnerIdentity } from '../support/core/runner-identity.ts';
import { SocketRunner } from '../support/core/socket-runner.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { type Edge, startEdge } from '../support/workerd/start-edge.ts';

const REFUSALS = 5;

describe('strangers at the edge', () => {
  let edge: Edge;
  let client: ServiceClient;
  let runner: SocketRunner;
  beforeAll(async () => {
    edge = await startEdge({
      settings: {
        ...PLATFORM_SETTINGS,
        SERVICE_CONFIG__polling__intervalMs: '3600000',
        SERVICE_CONFIG__limits__runnerFailuresPerMinute: String(REFUSALS),
      },
    });
    client = new ServiceClient(edge.url, () => edge.logs().join('\n'), edge.writeToken);
    runner = await SocketRunner.join(client, 'known');
  });
  afterAll(async () => {
    runner?.close();
    await edge?.close();
  });

  const sync = (authorization: string) =>
    client.send('/api/v1/runners/sync', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: '{"messages":[]}',
    });

  it('wake no object, are refused more shortly in the end, and lock nobody out', async () => {
    const stranger = await createRunnerIdentity();
    const forged = await stranger.accessToken({
      runnerId: runner.runnerId,
      audience: 'switchyard:other',
      nowMs: Date.now(),
    });
    for (let count = 0; count < REFUSALS; count += 1)
      expect((await sync(`Bearer ${forged}`)).status).toBe(401);
    expect((await sync('Bearer nonsense')).status).toBe(429);
    await expect(runner.open('Bearer nonsense')).rejects.toThrow('refused with 429');
    // Nothing has made it yet, let alone woken it.
    expect(await edge.evict('pool')).toBe(false);
    const line = await runner.connect();
    expect(await edge.evict('pool')).toBe(true);
    line.socket.close(1000);
  });
});
