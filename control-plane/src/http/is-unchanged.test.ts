import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { HttpEnv } from './bindings.ts';
import { tagReads } from './is-unchanged.ts';

const app = new Hono<HttpEnv>();
app.use(tagReads());
app.get('/kept', (c) => c.json({ a: 1 }));
app.get('/not-kept', (c) => c.json({ a: 1 }, 200, { 'Cache-Control': 'no-store' }));

it('tags an answer, and says only that it is the same to whoever has it', async () => {
  const tag = (await app.request('/kept')).headers.get('ETag') ?? '';
  const again = await app.request('/kept', { headers: { 'If-None-Match': tag } });
  expect(again.status).toBe(304);
});

it('leaves an answer that nobody may keep as it is', async () => {
  const answer = await app.request('/not-kept');
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(answer.headers.get('ETag')).toBeNull();
});
