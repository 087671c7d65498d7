import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_DIGEST } from '@switchyard/shared/protocol/extend-digest';
import { LIVE_TEXT_FEATURE } from '@switchyard/shared/protocol/features';
import { PLATFORM_SETTINGS } from '../contracts/describe-platform.ts';
import { eventsMessage, note, numbered } from '../support/core/scripted-runner.ts';
import { SocketRunner } from '../support/core/socket-runner.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { type Edge, startEdge } from '../support/workerd/start-edge.ts';

const LIMIT_MS = 60_000;
const SAY_EVERY_MS = 200;

describe('what an agent is writing, at the edge', () => {
  let edge: Edge;
  let client: ServiceClient;
  let runner: SocketRunner;
  beforeAll(async () => {
    edge = await startEdge({
      settings: { ...PLATFORM_SETTINGS, SERVICE_RUNNER_POOLS: '8', SERVICE_READ_TOKEN: 'reader' },
    });
    client = new ServiceClient(edge.url, () => edge.logs().join('\n'), edge.writeToken);
    runner = await SocketRunner.join(client, 'writer');
  });
  afterAll(async () => {
    runner?.close();
    await edge?.close();
  });

  const listen = (attemptId: string, token = edge.writeToken) =>
    fetch(`${edge.url}/api/v1/attempts/${attemptId}/live`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(LIMIT_MS),
    });

  it('reaches who watches from the pool that has the runner', async () => {
    const line = await runner.open();
    line.say(runner.hello());
    const { features } = await line.next('welcome');
    expect(features).toContain(LIVE_TEXT_FEATURE);
    await client.createIssue({ title: 'Written', state: 'Todo' });
    const { attemptId, epoch } = await line.next('offer');
    line.say({ type: 'accept', ref: 'accept-1', attemptId, epoch });
    await line.next('granted');
    const lease = { attemptId, epoch, token: '', seq: 0, digest: EMPTY_DIGEST };
    line.say(eventsMessage(lease, numbered(lease, [note('begun')], Date.now())));
    await line.next('ack');

    const response = await listen(attemptId, 'reader');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const items = [{ itemId: 'item_1', stream: 'agent' as const, text: 'half a wor' }];
    const saying = setInterval(
      () => line.say({ type: 'delta', attemptId, epoch, items }),
      SAY_EVERY_MS,
    );
    let heard = '';
    try {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        heard += chunk;
        if (heard.includes('half a wor')) break;
      }
    } finally {
      clearInterval(saying);
    }
    expect(heard).toContain(`data: ${JSON.stringify(items[0])}\n\n`);
  });

  it('is nothing for an attempt that is not there, and for nobody without a right to read', async () => {
    expect((await listen('att_none')).status).toBe(404);
    expect((await listen('att_none', 'wrong')).status).toBe(401);
  });
});
