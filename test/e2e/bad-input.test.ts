import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody } from '@switchyard/shared/api/error-body';
import type { Answer, ServiceClient } from '../support/e2e/service-client.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1_048_576;

describe('bad input over HTTP', () => {
  let folder: string;
  let service: RunningService;
  let client: ServiceClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-e2e-'));
    const config = { 'limits.apiPerMinute': 100_000 };
    service = await startService({ dataDir: join(folder, 'data'), args: ['--no-runner'], config });
    client = service.client;
    await client.createIssue({ title: 'The only issue' });
  });
  afterAll(async () => {
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  /** Every refusal has the envelope, its status in it, and the request's id. */
  function errorOf(answer: Answer<unknown>): ErrorBody {
    expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(400);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const body = ErrorBody.parse(answer.body);
    expect(body.status).toBe(answer.status);
    expect(body.error).not.toMatch(/\bat \S+ \(|node_modules|\.ts:\d/);
    expect(body.code).toMatch(/^[a-z][a-z_]*$/);
    expect(body.requestId).toBe(answer.headers.get('x-request-id'));
    return body;
  }

  /** Status and size of the answer to a GET with a body, on a connection of its own. */
  function getWithBody(path: string, body: string): Promise<{ status: number; bytes: number }> {
    return new Promise((resolve, reject) => {
      const headers = { connection: 'close', 'content-length': body.length };
      const sent = request(`${service.url}${path}`, { agent: false, headers }, (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => (bytes += chunk.byteLength));
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, bytes }));
        answer.once('error', reject);
      });
      sent.setTimeout(20_000, () => sent.destroy(new Error('no answer in 20 s')));
      sent.once('error', reject);
      sent.end(body);
    });
  }

  it('answers a GET with a large body each time, and resets no connection', async () => {
    const body = 'x'.repeat(150_000);
    const path = '/api/v1/openapi.json';
    const { bytes } = await getWithBody(path, '');
    for (let time = 0; time < 50; time += 1) {
      expect(await getWithBody(path, body)).toEqual({ status: 200, bytes });
    }
  });

  it.each([
    ['malformed JSON', '{"title": "x"'],
    ['no JSON at all', 'title=x'],
    ['an empty body', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['no title', '{}'],
    ['a blank title', '{"title": "  "}'],
    ['a title that is no text', '{"title": {"a": 1}}'],
    ['a title that is too long', JSON.stringify({ title: 'x'.repeat(501) })],
    ['an unknown field', '{"title": "x", "colour": "red"}'],
    ['a prototype as a field', '{"title": "x", "__proto__": {"state": "Done"}}'],
    ['an unknown state', '{"title": "x", "state": "Nowhere"}'],
    ['a priority outside 0 to 4', '{"title": "x", "priority": 9}'],
    ['labels that are no list', '{"title": "x", "labels": "bug"}'],
  ])('answers 400 to an issue with %s', async (_what, body) => {
    const init = { method: 'POST', headers: JSON_TYPE, body };
    expect(errorOf(await client.send('/api/v1/local/issues', init)).status).toBe(400);
  });

  it('names the field that is wrong', async () => {
    const body = { title: 'x', priority: 9 };
    const error = errorOf(await client.ask('POST', '/api/v1/local/issues', body));
    expect(error.status).toBe(400);
    expect(error.details).toEqual([expect.objectContaining({ path: 'priority' })]);
  });

  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['no type', {}],
  ])('answers 415 to a body that comes as %s', async (_what, headers) => {
    const body = new TextEncoder().encode('{"title": "x"}');
    const init = { method: 'POST', headers, body };
    expect(errorOf(await client.send('/api/v1/local/issues', init)).status).toBe(415);
  });

  it('answers 413 to a body of 2 MiB, with a length and as a stream', async () => {
    const body = JSON.stringify({ title: 'x', description: 'd'.repeat(2 * MIB) });
    const init = { method: 'POST', headers: JSON_TYPE, body };
    expect(errorOf(await client.send('/api/v1/local/issues', init)).status).toBe(413);
    const chunk = new TextEncoder().encode('y'.repeat(MIB / 4));
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => (sent++ < 8 ? controller.enqueue(chunk) : controller.close()),
    });
    const streamed = { method: 'POST', headers: JSON_TYPE, body: stream, duplex: 'half' as const };
    expect(errorOf(await client.send('/api/v1/local/issues', streamed)).status).toBe(413);
  });

  it.each([
    ['GET', '/api/v1/SY-999'],
    ['GET', '/api/v1/SY-999/attempts'],
    ['POST', '/api/v1/SY-999/abort'],
    ['POST', '/api/v1/SY-999/retry'],
    ['GET', '/api/v1/attempts/att_none'],
    ['POST', '/api/v1/requests/req_none/answer'],
    ['PATCH', '/api/v1/local/issues/SY-999'],
    ['POST', '/api/v1/local/issues/SY-999/comments'],
    ['GET', '/api/v1/local/issues/SY-999/comments'],
    ['GET', '/api/v1/local/pull-requests/pr_none'],
    ['GET', '/api/v1/local/pull-requests/pr_none/diff'],
    ['POST', '/api/v1/local/pull-requests/pr_none/merge'],
    ['POST', '/api/v1/local/pull-requests/pr_none/close'],
    ['DELETE', '/api/v1/setup/repo-route/7'],
    ['DELETE', '/api/v1/setup/repo-route/x'],
    ['POST', '/api/v1/runners/run_none/drain'],
    ['DELETE', '/api/v1/runners/run_none'],
    ['GET', '/api/v1/not-an-issue'],
    ['GET', '/api/v1/SY-1%2F..%2Fstate'],
    ['GET', '/api/nothing'],
  ])('answers 404 to %s %s', async (method, path) => {
    const body = path.endsWith('/answer')
      ? { answers: {} }
      : path.endsWith('/comments') && method === 'POST'
        ? { body: 'x' }
        : method === 'PATCH'
          ? { title: 'x' }
          : undefined;
    expect(errorOf(await client.ask(method, path, body)).status).toBe(404);
  });

  it.each([
    ['DELETE', '/api/v1/state', 'GET'],
    ['GET', '/api/v1/refresh', 'POST'],
    ['PUT', '/api/v1/local/issues', 'POST'],
    ['GET', '/api/v1/SY-1/abort', 'POST'],
    ['POST', '/api/v1/events', 'GET'],
  ])('answers 405 to %s %s and says what is allowed', async (method, path, allowed) => {
    const answer = await client.ask(method, path, method === 'PUT' ? {} : undefined);
    expect(errorOf(answer).status).toBe(405);
    expect(answer.headers.get('allow')?.split(', ')).toContain(allowed);
  });

  it('answers 409 to an abort of what does not run', async () => {
    const { identifier } = await client.createIssue({ title: 'Waits', state: 'Backlog' });
    expect(errorOf(await client.ask('POST', `/api/v1/${identifier}/abort`)).status).toBe(409);
  });

  it.each(['?limit=0', '?limit=501', '?limit=x', '?limit=1.5', '?offset=-1'])(
    'answers 400 to a list with %s',
    async (query) => {
      expect(errorOf(await client.ask('GET', `/api/v1/local/issues${query}`)).status).toBe(400);
    },
  );

  it.each(['?after=-1', '?after=x'])('answers 400 to events with %s', async (query) => {
    expect(errorOf(await client.ask('GET', `/api/v1/events${query}`)).status).toBe(400);
  });

  it.each([
    '-u./x',
    '--upload-pack=touch x',
    'file://relative/path',
    'ext::sh -c touch% x',
    'git://host/x.git',
    'http://host/x.git',
    'file:///a\nb',
    'file:///a\u0000b',
    'https://user:secret@host/x.git',
    'ssh://-oProxyCommand=touch/x',
    '',
  ])('answers 400 to a repository at %j', async (url) => {
    const answer = await client.ask('POST', '/api/v1/setup/repo-route', { prefix: 'X-', url });
    expect(errorOf(answer).status).toBe(400);
    const { body } = await client.ask<{ routes: unknown[] }>('GET', '/api/v1/setup/repo-routes');
    expect(body.routes).toEqual([]);
  });

  it.each(['-rf', '--upload-pack=x', 'a\nb', 'a\u202Eb', 'no..such'])(
    'answers 400 to a default branch %j',
    async (branch) => {
      const route = { prefix: 'X-', url: 'file:///tmp/x.git', default_branch: branch };
      expect(errorOf(await client.ask('POST', '/api/v1/setup/repo-route', route)).status).toBe(400);
    },
  );

  it('keeps a good request id and replaces a bad one', async () => {
    const send = (id: string) =>
      client.send('/api/v1/SY-999', { method: 'GET', headers: { 'x-request-id': id } });
    const good = await send('mine-<b>1</b>');
    expect(good.headers.get('x-request-id')).toBe('mine-<b>1</b>');
    expect(good.body).toMatchObject({ requestId: 'mine-<b>1</b>' });
    for (const bad of ['a b', 'x'.repeat(129), 'é']) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await send(bad);
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a proxy', { 'x-forwarded-for': '203.0.113.9' }],
  ])('takes a change that comes through %s for a remote one: 403', async (_what, headers) => {
    const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: '{"title":"x"}' };
    expect(errorOf(await client.send('/api/v1/local/issues', init)).status).toBe(403);
  });

  it('changed nothing and wrote nothing outside its folder by all of this', async () => {
    const { body } = await client.ask<{ total: number }>('GET', '/api/v1/local/issues');
    expect(body.total).toBe(2);
    expect(await readdir(folder)).toEqual(['data']);
    const changes = (await client.audit()).map(({ operation }) => operation);
    expect(changes).toEqual(['local_issue.create', 'local_issue.create']);
    expect((await client.ask('GET', '/healthz')).status).toBe(200);
  });
});
