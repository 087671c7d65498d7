import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { HttpEnv } from './bindings.ts';
import { createOpenStreams } from './limits/open-streams.ts';
import { sendEventStream } from './send-event-stream.ts';

it('answers HEAD without opening a stream, which nobody would ever read or end', async () => {
  const streams = createOpenStreams({
    redact: (json) => json,
    limits: () => Promise.resolve({ streamsPerClient: 2, streams: 4 }),
  });
  let runs = 0;
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    c.set('caller', { actor: 'anonymous', source: 'API', requestId: null, path: c.req.path });
    await next();
  });
  app.get('/events', (c) =>
    sendEventStream(c, streams, () => {
      runs += 1;
      return new Promise(() => {});
    }),
  );
  const answer = await app.request('/events', { method: 'HEAD' });
  expect([streams.openCount(), runs]).toEqual([0, 0]);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('Content-Type')).toBe('text/event-stream');
});
