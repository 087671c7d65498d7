import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../observe/redaction/create-redactor.ts';
import { AppError } from '../../errors.ts';
import type { HttpEnv } from '../bindings.ts';
import { errorHandler } from '../error-handler.ts';
import { sendJson } from '../send-json.ts';
import { redactAnswers, showSecret } from './redact-answers.ts';

const SECRET = 'sk-known-to-"the"-service';
const LOGGER = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function createTestApp() {
  const redactor = createRedactor();
  redactor.hide(SECRET);
  const app = new Hono<HttpEnv>();
  app.use(redactAnswers(redactor));
  app.onError(errorHandler(LOGGER));
  app.use('/after/*', async (c, next) => {
    await next();
    throw new AppError('conflict', `lost ${c.req.path} and ${SECRET}`);
  });
  return app
    .get('/json', (c) => sendJson(c, { [SECRET]: SECRET, n: 1 }, 200))
    .get('/bare', () => Response.json({ is: SECRET }, { headers: { ETag: '"1"' }, status: 202 }))
    .get('/empty', (c) => c.text(''))
    .get('/text', (c) => c.text(`it is ${SECRET}`))
    .get('/bytes', (c) => c.body(SECRET, 200, { 'Content-Type': 'application/octet-stream' }))
    .get('/refused', () => {
      throw new AppError('bad_request', `no ${SECRET}`, {
        details: [{ path: 'x', message: SECRET }],
      });
    })
    .get('/after/json', (c) => sendJson(c, {}, 200))
    .get('/once', (c) => {
      showSecret(c);
      return sendJson(c, { token: SECRET }, 201);
    });
}

describe('answers', () => {
  it.each([
    ['/json', 200, '{"[redacted]":"[redacted]","n":1}'],
    ['/bare', 202, '{"is":"[redacted]"}'],
    ['/text', 200, 'it is [redacted]'],
    ['/empty', 200, ''],
  ])('of %s are without secrets', async (path, status, body) => {
    const answer = await createTestApp().request(path);
    expect([answer.status, await answer.text()]).toEqual([status, body]);
    expect(answer.headers.get('ETag')).toBe(path === '/bare' ? '"1"' : null);
  });

  it.each(['/refused', '/after/json'])('that refuse are so too: %s', async (path) => {
    const text = await (await createTestApp().request(path)).text();
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('known-to');
  });

  it('show a secret only where a route says so; bytes are what they are', async () => {
    const app = createTestApp();
    expect(await (await app.request('/once')).json()).toEqual({ token: SECRET });
    expect(await (await app.request('/bytes')).text()).toBe(SECRET);
  });
});
