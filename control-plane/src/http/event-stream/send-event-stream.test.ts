import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { HttpEnv } from '../bindings.ts';
import { createOpenStreams } from '../limits/open-streams.ts';
import { sendEventStream } from './send-event-stream.ts';

const SECRET = 'sk-known-to-the-service';

function streamApp(run: Parameters<typeof sendEventStream>[2]) {
  const streams = createOpenStreams({
    redact: (json) => json.replaceAll(SECRET, '[redacted]'),
    limits: () => Promise.resolve({ streamsPerClient: 2, streams: 4 }),
  });
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    c.set('caller', { actor: 'anonymous', source: 'API', requestId: null, path: c.req.path });
    await next();
  });
  return { streams, app: app.get('/events', (c) => sendEventStream(c, streams, run)) };
}

it('answers HEAD without opening a stream, which nobody would ever read or end', async () => {
  let runs = 0;
  const { streams, app } = streamApp(() => {
    runs += 1;
    return new Promise(() => {});
  });
  const answer = await app.request('/events', { method: 'HEAD' });
  expect([streams.openCount(), runs]).toEqual([0, 0]);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('Content-Type')).toBe('text/event-stream');
});

it('takes secrets out of the whole data of an event, whatever breaks a line elsewhere', async () => {
  const { app } = streamApp((stream) =>
    stream.write(`id: 1\ndata: ${JSON.stringify({ text: `a\u2028b\u2029c ${SECRET}` })}\n\n`),
  );
  const text = await (await app.request('/events')).text();
  expect(text).toContain('id: 1\ndata: {"text":"a\u2028b\u2029c [redacted]"}\n\n');
});
