import { afterEach, describe, expect, it } from 'vitest';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { until } from '../support/e2e/until.ts';
import { pythonPart, pythonRefusal } from '../support/python.ts';
import { type FakeReceiver, startFakeReceiver } from '../support/receivers/fake-receiver.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const receivers: FakeReceiver[] = [];
// After-hooks run last first: a receiver that hangs must be gone before its world closes.
afterEach(async () => {
  for (const started of receivers.splice(0)) await started.close();
});

/** Whatever a limit is, one of the first two is cut within a pair; the others arrive with half of one. */
const TEXTS = {
  'emoji from the first place': '😀'.repeat(7_000),
  'emoji from the second place': `x${'😀'.repeat(7_000)}`,
  'families of emoji': '👨‍👩‍👧‍👦'.repeat(1_200),
  'half a pair': `one \ud83d two \ude00 \\ud83d ${String.raw`\ud83d`} \ud83d`,
};

async function ask(world: CoreWorld, path: string, body?: unknown): Promise<string> {
  const answer = await world.core.app.request(
    path,
    {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Host: 'localhost', 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    { remoteAddress: '127.0.0.1' },
  );
  expect(answer.status, path).toBeLessThan(500);
  return new TextDecoder('utf-8', { fatal: true }).decode(await answer.arrayBuffer());
}

/** The data of the events that a stream sends at once. */
async function streamed(world: CoreWorld, path: string, last: string): Promise<string[]> {
  const answer = await world.core.app.request(
    path,
    { headers: { Host: 'localhost' } },
    { remoteAddress: '127.0.0.1' },
  );
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes(last)) text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}

function isStrict(json: string): boolean {
  let whole = Buffer.from(json).toString() === json;
  JSON.parse(json, (name, value: unknown) => {
    whole &&= name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed());
    return value;
  });
  return whole;
}

describe('text by others', () => {
  it.for(Object.entries(TEXTS))('leaves as every reader takes it: %s', async ([, text]) => {
    const hook = await startFakeReceiver();
    const chat = await startFakeReceiver();
    receivers.push(hook, chat);
    const { world, runner, identifier, lease } = await sceneWithLease(make, {
      SERVICE_CONFIG__notifications__channels: JSON.stringify([
        { type: 'webhook', name: 'hook', webhookUrl: hook.url, secret: 's', verbosity: 'verbose' },
        { type: 'chat', name: 'team', webhookUrl: chat.url, verbosity: 'verbose' },
      ]),
    });
    const made = await ask(world, '/api/v1/local/issues', {
      title: text.slice(0, 199),
      description: text,
    });
    const said = await ask(world, `/api/v1/local/issues/${identifier}/comments`, { body: text });
    const refused = await ask(world, '/api/v1/local/issues', { [text]: text });
    const question = { id: 'q1', header: text.slice(0, 399), question: text.slice(0, 7_999) };
    const stored = await runner.events(
      lease,
      { kind: 'log', payload: { source: 'engine', text } },
      {
        kind: 'item',
        payload: { state: 'ended', itemId: 'i1', item: { type: 'agent_message', text } },
      },
      {
        kind: 'item',
        payload: {
          state: 'ended',
          itemId: 'i2',
          item: { type: 'command', command: text, output: text, status: 'completed', exitCode: 0 },
        },
      },
      { kind: 'thread', payload: { threadId: 't1', resumed: false, engineVersion: text } },
      {
        kind: 'request',
        payload: {
          requestId: 'r1',
          turnId: 't',
          questions: [
            {
              ...question,
              isSecret: false,
              options: [{ label: text.slice(0, 399), description: '' }],
            },
          ],
        },
      },
    );
    expect(stored).toMatchObject({ type: 'ack' });
    await world.tick();
    const asked = await ask(world, '/api/v1/requests');
    await runner.finish(lease, { marker: 'BLOCKED', summary: text });
    await until(
      async () => {
        await world.tick();
        return hook.received.length > 1 && chat.received.length > 1;
      },
      (is) => is,
      { what: 'notifications', timeoutMs: 60_000 },
    );
    const { attemptId } = lease;
    const answers = await Promise.all(
      [
        'state',
        'local/issues',
        'search?q=one',
        'search?q=x',
        'notifications',
        'audit',
        'runners',
        'transitions',
        'observability',
        identifier,
        `${identifier}/attempts`,
        `local/issues/${identifier}/comments`,
        `attempts/${attemptId}`,
        'usage',
        `attempts/${attemptId}/events`,
        `search?q=${encodeURIComponent(text.slice(0, 4).toWellFormed())}`,
      ].map((path) => ask(world, `/api/v1/${path}`)),
    );
    const events = await streamed(world, '/api/v1/events?after=0', 'attempt.ended');
    expect(events.length).toBeGreaterThan(5);
    const posted = [...hook.received, ...chat.received].map(({ body }) => body);
    const all = [made, said, refused, asked, ...answers, ...events, ...posted];
    expect(all.filter((one) => !isStrict(one)).map((one) => one.slice(0, 300))).toEqual([]);
    expect(answers.join('')).toContain(
      text.includes('one') ? 'one \ufffd two' : /😀|👨/u.exec(text)?.[0],
    );
    expect(pythonPart().available ? pythonRefusal(all) : null).toBe(null);
  });
});
