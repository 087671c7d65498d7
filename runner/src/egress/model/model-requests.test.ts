import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GrantRequest, hashToken } from '../grant.ts';
import { ProxyServer, closed, listening } from '../proxy-server.ts';

const KEY = 'sk-provider-secret-1';
const TOKEN = 'attempt-token-1';
const OWNER = { attemptId: 'A1', epoch: 1 };
const GEMINI = '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse';

type Seen = { url: string; headers: IncomingHttpHeaders; body: string };

let folder: string;
let upstream: Server;
let handler: RequestListener;
let seen: Seen[];
let nowMs: number;
let proxy: ProxyServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-model-'));
  seen = [];
  handler = (_request, response) => response.end('{}');
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body });
      handler(request, response);
    });
  });
  await listening(upstream, { host: '127.0.0.1', port: 0 });
  nowMs = 1_700_000_000_000;
  const limits = { editedBodyBytes: 100_000, requestBodyBytes: 500_000 };
  proxy = new ProxyServer({ now: () => nowMs, limits });
  await proxy.listen();
});

afterEach(async () => {
  await proxy.close();
  await closed(upstream);
  await rm(folder, { recursive: true, force: true });
});

const port = (): number => (upstream.address() as AddressInfo).port;

const grant = (wireApi: GrantRequest['wireApi'], change: Partial<GrantRequest> = {}) =>
  proxy.grant({
    ...OWNER,
    tokenHash: hashToken(TOKEN),
    upstreamBaseUrl: `http://127.0.0.1:${port()}`,
    wireApi,
    apiKey: KEY,
    expiresAtMs: nowMs + 60_000,
    socketFolder: folder,
    ...change,
  });

function ask(
  path: string,
  options: { headers?: Record<string, string>; body?: string; method?: string } = {},
): Promise<{ status: number; text: string }> {
  const { headers = { authorization: `Bearer ${TOKEN}` }, body = '{}', method = 'POST' } = options;
  return new Promise((resolve, reject) => {
    const where = { socketPath: join(folder, 'proxy.sock'), agent: false, path, method };
    const request = httpRequest({ ...where, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject);
    request.end(method === 'GET' ? undefined : body);
  });
}

const report = () => {
  const found = proxy.modelReport(OWNER);
  if (found === null) throw new Error('no grant');
  return found;
};
const events = (...data: unknown[]): string =>
  data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');
const streams = (text: string): RequestListener => {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(text);
  };
};

describe('a request to a model', () => {
  it.each([
    ['responses', '/v1/responses', 'authorization', `Bearer ${KEY}`],
    ['chat', '/v1/chat/completions', 'authorization', `Bearer ${KEY}`],
    ['messages', '/v1/messages?beta=true', 'x-api-key', KEY],
    ['gemini', GEMINI, 'x-goog-api-key', KEY],
  ] as const)(
    'in the format %s shows the token in any header, and the key goes out in its own',
    async (wireApi, path, header, value) => {
      await grant(wireApi);
      const sent: Record<string, string>[] = [
        { authorization: `Bearer ${TOKEN}` },
        { 'x-api-key': TOKEN },
        { 'api-key': TOKEN },
        { 'x-goog-api-key': TOKEN },
        { authorization: 'Bearer other', 'x-api-key': TOKEN },
      ];
      for (const headers of sent) expect((await ask(path, { headers })).status).toBe(200);
      expect(seen.map(({ headers }) => headers[header])).toEqual(sent.map(() => value));
      const others = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
      for (const { headers, url } of seen) {
        expect(url).toBe(path);
        expect(JSON.stringify(headers)).not.toContain(TOKEN);
        expect(others.filter((name) => headers[name] !== undefined)).toEqual([header]);
        expect(headers['accept-encoding']).toBe('identity');
      }
      expect((await ask(path, { headers: { 'x-api-key': 'other' } })).status).toBe(401);
      expect((await ask(path, { headers: { authorization: `Basic ${TOKEN}` } })).status).toBe(401);
    },
  );

  it('in the format messages has a version, its own or ours', async () => {
    await grant('messages');
    await ask('/v1/messages');
    await ask('/v1/messages', {
      headers: { 'x-api-key': TOKEN, 'anthropic-version': '2099-01-01' },
    });
    expect(seen.map(({ headers }) => headers['anthropic-version'])).toEqual([
      '2023-06-01',
      '2099-01-01',
    ]);
  });

  it('reaches providers whose address has a version, and those whose address has none', async () => {
    const cases = [
      ['messages', '', '/v1/messages/count_tokens', '/v1/messages/count_tokens'],
      ['messages', '/v1', '/v1/messages?beta=true', '/v1/messages?beta=true'],
      ['messages', '/api/anthropic', '/v1/messages', '/api/anthropic/v1/messages'],
      ['gemini', '/v1beta', GEMINI, GEMINI],
      ['gemini', '', '/v1beta/models/m:countTokens', '/v1beta/models/m:countTokens'],
      ['gemini', '/v1', '/v1beta/models/m:generateContent', '/v1/models/m:generateContent'],
      ['chat', '/api/v3/', '/v1/chat/completions', '/api/v3/chat/completions'],
    ] as const;
    for (const [wireApi, base, path] of cases) {
      await grant(wireApi, { upstreamBaseUrl: `http://127.0.0.1:${port()}${base}` });
      expect((await ask(path)).status).toBe(200);
    }
    expect(seen.map(({ url }) => url)).toEqual(cases.map(([, , , url]) => url));
  });

  it('in another format than the provider’s is refused in words', async () => {
    await grant('messages');
    const reply = await ask('/v1/chat/completions');
    expect(reply.status).toBe(404);
    expect(reply.text).toMatch(/belongs to the format chat.*format messages.*wireApi/);
    expect((await ask(GEMINI)).text).toContain('"status":"wrong_format"');
    await grant('gemini');
    expect((await ask('/v1/messages')).text).toContain('"type":"error"');
    expect((await ask('/v1/models', { method: 'GET' })).status).toBe(404);
    expect((await ask('/v1beta/models', { method: 'GET' })).status).toBe(200);
    for (const path of [
      '/v1beta/models/a/b:generateContent',
      '/v1beta/models/m:batchEmbedContents',
      '/v1beta/cachedContents',
      '/v1beta/models/..',
    ]) {
      expect((await ask(path)).status).toBe(404);
    }
    expect(seen.map(({ url }) => url)).toEqual(['/v1beta/models']);
  });

  it('with a key in its address is refused', async () => {
    await grant('gemini');
    const path = '/v1beta/models/m:generateContent';
    for (const query of ['key=abc', 'alt=sse&KEY=abc', 'k%65y=abc', 'access_token=abc']) {
      const reply = await ask(`${path}?${query}`);
      expect(reply.status).toBe(400);
      expect(reply.text).not.toContain('abc');
    }
    const headers = {};
    expect((await ask(`${path}?key=${TOKEN}`, { headers })).status).toBe(401);
    expect(seen).toEqual([]);
  });
});

describe('a stream in the format chat', () => {
  const bodies = [
    [
      '{"stream": true, "model":"m"}',
      '{"stream_options":{"include_usage":true},"stream": true, "model":"m"}',
    ],
    [
      '{"stream":true,"stream_options":{"x":1}}',
      '{"stream":true,"stream_options":{"x":1,"include_usage":true}}',
    ],
    [
      '{"stream":true,"stream_options":{"include_usage":false}}',
      '{"stream":true,"stream_options":{"include_usage":true}}',
    ],
    ['{ "stream":true,"stream_options":{"include_usage":true} }', null],
    ['{"stream":false}', null],
    ['{"model":"m"}', null],
    ['not json', null],
    ['', null],
  ] as const;

  it('is asked for its tokens; every other body stays as it is', async () => {
    await grant('chat');
    for (const [body] of bodies) await ask('/v1/chat/completions', { body });
    expect(seen.map(({ body }) => body)).toEqual(bodies.map(([body, sent]) => sent ?? body));
    for (const { headers, body } of seen) {
      expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    }
  });

  it('passes unchanged when it is too long to be held, up to the limit of a body', async () => {
    await grant('chat');
    const body = JSON.stringify({ stream: true, text: 'x'.repeat(300_000) });
    await ask('/v1/chat/completions', { body });
    expect(seen[0]?.body).toBe(body);
    const long = JSON.stringify({ stream: true, text: 'x'.repeat(600_000) });
    expect((await ask('/v1/chat/completions', { body: long })).status).toBe(413);
  });
});

describe('what an answer used', () => {
  const counted = { input: 1000, cachedInput: 200, output: 60, reasoning: 10, total: 1060 };
  const responsesUsage = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 200 },
    output_tokens: 60,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 1060,
  };
  const chatUsage = {
    prompt_tokens: 1000,
    completion_tokens: 60,
    total_tokens: 1060,
    prompt_tokens_details: { cached_tokens: 200 },
    completion_tokens_details: { reasoning_tokens: 10 },
  };
  const geminiUsage = {
    promptTokenCount: 1000,
    cachedContentTokenCount: 200,
    candidatesTokenCount: 50,
    thoughtsTokenCount: 10,
    totalTokenCount: 1060,
  };
  const messagesStart = {
    type: 'message_start',
    message: {
      model: 'm-1',
      usage: {
        input_tokens: 700,
        cache_read_input_tokens: 200,
        cache_creation_input_tokens: 100,
        output_tokens: 1,
      },
    },
  };
  const cases = [
    {
      name: 'responses, streamed',
      wireApi: 'responses',
      path: '/v1/responses',
      text: events(
        { type: 'response.created', response: { model: 'm-1', usage: null } },
        { type: 'response.output_text.delta', delta: '"usage":{"input_tokens":9}' },
        { type: 'response.completed', response: { model: 'm-1', usage: responsesUsage } },
      ),
    },
    {
      name: 'responses, whole',
      wireApi: 'responses',
      path: '/v1/responses/compact',
      json: { model: 'm-1', error: null, usage: responsesUsage },
    },
    {
      name: 'chat, streamed',
      wireApi: 'chat',
      path: '/v1/chat/completions',
      text: events(
        { model: 'm-1', usage: null, choices: [{ delta: { content: '"usage":{' } }] },
        { model: 'm-1', choices: [], usage: chatUsage },
        '[DONE]',
      ),
    },
    {
      name: 'chat, whole, with reasoning beside the completion',
      wireApi: 'chat',
      path: '/v1/chat/completions',
      json: { model: 'm-1', usage: { ...chatUsage, completion_tokens: 50 } },
    },
    {
      name: 'messages, streamed',
      wireApi: 'messages',
      path: '/v1/messages?beta=true',
      text: events(
        messagesStart,
        { type: 'message_delta', usage: { output_tokens: 40 } },
        { type: 'message_delta', usage: { output_tokens: 60 } },
        { type: 'message_stop' },
      ),
      reasoning: 0,
    },
    {
      name: 'messages, whole',
      wireApi: 'messages',
      path: '/v1/messages',
      json: { model: 'm-1', usage: { ...messagesStart.message.usage, output_tokens: 60 } },
      reasoning: 0,
    },
    {
      name: 'gemini, streamed',
      wireApi: 'gemini',
      path: GEMINI,
      text: events(
        { modelVersion: 'm-1', usageMetadata: { ...geminiUsage, candidatesTokenCount: 3 } },
        { modelVersion: 'm-1', usageMetadata: geminiUsage },
      ),
    },
    {
      name: 'gemini, a streamed list',
      wireApi: 'gemini',
      path: '/v1beta/models/m-1:streamGenerateContent',
      json: [
        { modelVersion: 'm-1', usageMetadata: { promptTokenCount: 1000 } },
        { modelVersion: 'm-1', usageMetadata: geminiUsage },
      ],
    },
  ] as const;

  it.each(cases)('is counted exactly: $name', async (one) => {
    await grant(one.wireApi);
    const text = 'text' in one ? one.text : JSON.stringify(one.json);
    handler = (_request, response) => {
      const type = 'text' in one ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type });
      // In pieces that cut lines and characters.
      const bytes = Buffer.from(text);
      for (let from = 0; from < bytes.length; from += 7) {
        response.write(bytes.subarray(from, from + 7));
      }
      response.end();
    };
    const reasoning = 'reasoning' in one ? one.reasoning : counted.reasoning;
    const told = { ...counted, reasoning };
    expect((await ask(one.path)).text).toBe(text);
    expect(report()).toMatchObject({ answers: 1, uncounted: 0, tokens: told, last: told });
    await ask(one.path);
    expect(report()).toMatchObject({ answers: 2, last: told, active: 0, refusal: null });
    expect(report().tokens.total).toBe(2 * told.total);
    expect(report().byModel).toEqual({ 'm-1': report().tokens });
  });

  it('is told by model, and a renewed grant counts on', async () => {
    await grant('chat');
    for (const model of ['big', 'small', 'big']) {
      handler = streams(events({ model, choices: [], usage: chatUsage }, '[DONE]'));
      await ask('/v1/chat/completions');
      await grant('chat');
    }
    const { byModel, tokens, sinceMs } = report();
    expect(Object.entries(byModel).map(([name, { total }]) => [name, total])).toEqual([
      ['big', 2120],
      ['small', 1060],
    ]);
    expect({ total: tokens.total, sinceMs }).toEqual({ total: 3180, sinceMs: nowMs });
  });

  it('stays unknown where the provider does not tell it, or tells it encoded', async () => {
    await grant('chat');
    handler = streams(events({ model: 'm', choices: [{}] }, '[DONE]'));
    await ask('/v1/chat/completions');
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(gzipSync(events({ usage: chatUsage }, '[DONE]')));
    };
    await ask('/v1/chat/completions');
    expect(report()).toMatchObject({ answers: 2, uncounted: 2, tokens: { total: 0 }, last: null });
  });

  it('counts what was told before an answer broke off, once', async () => {
    await grant('messages');
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events(messagesStart));
      setTimeout(() => response.destroy(), 20);
    };
    await ask('/v1/messages').catch(() => undefined);
    await expect.poll(() => report().active).toBe(0);
    expect(report()).toMatchObject({ answers: 0, tokens: { input: 1000, total: 1001 } });
    expect(report().refusal).toMatchObject({ status: null, kind: 'provider_unreachable' });
  });

  it('leaves lists, counts and their refusals out', async () => {
    await grant('messages');
    handler = (_request, response) => response.writeHead(404).end('{"input_tokens": 5}');
    await ask('/v1/messages/count_tokens');
    await ask('/v1/models', { method: 'GET' });
    expect(report()).toMatchObject({ answers: 0, refusal: null, lastEndMs: null });
  });
});

describe('what a provider refuses', () => {
  it('is kept until an answer follows, and counted', async () => {
    await grant('chat');
    handler = (_request, response) => {
      response.writeHead(429, { 'retry-after': '7200', 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { message: `No: ${KEY}`, code: 'rate_limit_exceeded' } }),
      );
    };
    expect((await ask('/v1/chat/completions')).status).toBe(429);
    await ask('/v1/chat/completions');
    expect(report().refusal).toEqual({
      atMs: nowMs,
      status: 429,
      kind: 'usage_limited',
      code: 'rate_limit_exceeded',
      message: 'No: [key]',
      resetAtMs: nowMs + 7_200_000,
      inARow: 2,
    });
    handler = streams(events({ choices: [{}] }, '[DONE]'));
    await ask('/v1/chat/completions');
    expect(report()).toMatchObject({ refusal: null, answers: 1 });
  });

  it.each([
    [
      'responses',
      '/v1/responses',
      {
        type: 'response.failed',
        response: { error: { code: 'context_length_exceeded', message: 'too long' } },
      },
      'context_exceeded',
    ],
    [
      'responses',
      '/v1/responses',
      { type: 'error', code: 'rate_limit_exceeded', message: 'slow' },
      'usage_limited',
    ],
    [
      'chat',
      '/v1/chat/completions',
      { error: { code: 502, message: 'upstream' } },
      'provider_unreachable',
    ],
    [
      'messages',
      '/v1/messages',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'provider_unreachable',
    ],
    [
      'messages',
      '/v1/messages',
      { type: 'error', error: { type: 'invalid_request_error', message: 'bad' } },
      'agent_error',
    ],
    [
      'gemini',
      GEMINI,
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Please retry in 41.5s.' } },
      'usage_limited',
    ],
  ] as const)(
    'is heard inside a stream that began well: %s %#',
    async (wireApi, path, event, kind) => {
      await grant(wireApi);
      handler = streams(events(event));
      expect((await ask(path)).status).toBe(200);
      expect(report()).toMatchObject({ answers: 0, refusal: { kind, inARow: 1 } });
    },
  );

  it.each([
    ['a page', { 'content-type': 'text/event-stream' }, '<html>502 Bad Gateway</html>'],
    ['words', { 'content-type': 'application/json' }, 'oops'],
    ['nothing', { 'content-type': 'text/event-stream' }, ''],
    [
      'half an answer',
      { 'content-type': 'text/event-stream' },
      events({ type: 'response.created' }),
    ],
  ])('includes %s where an answer should be', async (_name, headers, text) => {
    await grant('responses');
    handler = (_request, response) => response.writeHead(200, headers).end(text);
    expect((await ask('/v1/responses')).text).toBe(text);
    expect(report()).toMatchObject({ answers: 0, refusal: { kind: 'provider_unreachable' } });
  });

  it('includes a provider that cannot be reached, and names no address', async () => {
    await grant('responses', { upstreamBaseUrl: 'http://127.0.0.1:1/hidden' });
    expect((await ask('/v1/responses')).status).toBe(502);
    const { refusal } = report();
    expect(refusal).toMatchObject({ status: null, code: 'ECONNREFUSED', inARow: 1 });
    expect(refusal?.message).toBe(
      'the model provider cannot be reached: nothing accepts connections there (ECONNREFUSED)',
    );
  });

  it('is not what an engine does that hangs up, except after a long silence', async () => {
    await grant('responses');
    handler = () => undefined;
    for (const silentMs of [1_000, 60_000]) {
      const before = report().refusal;
      const request = httpRequest({
        socketPath: join(folder, 'proxy.sock'),
        method: 'POST',
        path: '/v1/responses',
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      request.on('error', () => undefined);
      request.end('{}');
      await expect.poll(() => report().active).toBe(1);
      expect({ silentSinceMs: report().silentSinceMs, before }).toEqual({
        silentSinceMs: nowMs,
        before: null,
      });
      nowMs += silentMs;
      request.destroy();
      await expect.poll(() => report().active).toBe(0);
    }
    expect(report().refusal).toMatchObject({ message: 'the model provider sent nothing for 60 s' });
  });
});
