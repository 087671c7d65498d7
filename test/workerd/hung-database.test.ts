import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_DIGEST } from '@switchyard/shared/protocol/extend-digest';
import { PLATFORM_SETTINGS } from '../contracts/describe-platform.ts';
import { eventsMessage, note, numbered } from '../support/core/scripted-runner.ts';
import { SocketRunner } from '../support/core/socket-runner.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { until } from '../support/e2e/until.ts';
import { type Edge, startEdge } from '../support/workerd/start-edge.ts';

const BACK_WITHIN_MS = 60_000;
const AT_ONCE = 20;

describe('the edge on a database that hangs', () => {
  let edge: Edge;
  let client: ServiceClient;
  let runner: SocketRunner;
  beforeAll(async () => {
    edge = await startEdge({
      settings: { ...PLATFORM_SETTINGS, SERVICE_CONFIG__limits__apiPerMinute: '1000000' },
    });
    client = new ServiceClient(edge.url, () => edge.logs().join('\n'), edge.writeToken);
    runner = await SocketRunner.join(client, 'patient');
  });
  afterAll(async () => {
    runner?.close();
    await edge?.close();
  });

  it('says so, acknowledges nothing that is not stored, and goes on after its restart', async () => {
    const line = await runner.connect();
    await client.createIssue({ title: 'Kept', state: 'Todo' });
    const { attemptId, epoch } = await line.next('offer');
    line.say({ type: 'accept', ref: 'accept-1', attemptId, epoch });
    await line.next('granted');
    const lease = { attemptId, epoch, token: '', seq: 0, digest: EMPTY_DIGEST };
    const items = numbered(lease, [note('a line')], Date.now());
    line.say(eventsMessage(lease, items));
    expect(await line.next('ack')).toMatchObject({ upto: 1 });
    const ready = await client.ask<{ last_write_at?: string }>('GET', '/readyz');
    expect(Date.parse(ready.body.last_write_at ?? '')).toBeGreaterThan(Date.now() - 60_000);

    edge.sqld.freeze();
    const next = numbered({ ...lease, seq: 1 }, [note('another line')], Date.now());
    line.say(eventsMessage(lease, next));
    const titles = Array.from({ length: AT_ONCE }, () => `Hung ${randomUUID()}`);
    const answers = await Promise.all(
      titles.map((title) => client.ask('POST', '/api/v1/local/issues', { title })),
    );
    for (const { status, body } of answers)
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'database_away' } });
    expect(line.messages.filter(({ type }) => type === 'ack')).toHaveLength(1);
    const unready = await client.ask('GET', '/readyz');
    expect(unready).toMatchObject({ status: 503, body: { code: 'database_away' } });

    await edge.sqld.restart();
    await until(
      async () => (await client.ask('GET', '/readyz')).status,
      (status) => status === 200,
      { what: 'writes that are stored again', timeoutMs: BACK_WITHIN_MS },
    );
    // As a runner does that heard nothing: the same frame once more.
    const again = () => eventsMessage(lease, next);
    expect(await line.sayUntil(again, 'ack')).toMatchObject({ upto: 2 });
    const made = await Promise.all(
      titles.map((title) => client.ask('POST', '/api/v1/local/issues', { title })),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('stores what 200 requests ask for, 20 at a time', async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const asked = Array.from({ length: AT_ONCE }, () =>
        client.ask('POST', '/api/v1/local/issues', { title: randomUUID() }),
      );
      statuses.push(...(await Promise.all(asked)).map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(statuses).toHaveLength(200);
  });
});
