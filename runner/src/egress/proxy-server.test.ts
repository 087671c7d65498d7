import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from './grant.ts';
import type { GrantRequest } from './grant.ts';
import { ProxyServer, closed, listening } from './proxy-server.ts';

const KEY = 'sk-provider-secret';
const TOKEN = 'attempt-token-1';

type Reply = { status: number; headers: IncomingMessage['headers']; text: string; atMs: number[] };

let folder: string;
let upstream: Server;
let handler: RequestListener;
let nowMs: number;
let proxy: ProxyServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-egress-'));
  handler = (_request, response) => response.end('{}');
  upstream = createServer((request, response) => handler(request, response));
  await listening(upstream, { host: '127.0.0.1', port: 0 });
  nowMs = 1_000_000;
  proxy = new ProxyServer({ now: () => nowMs, limits: { requestBodyBytes: 1_000_000 } });
  await proxy.listen();
});

afterEach(async () => {
  await proxy.close();
  await closed(upstream);
  await rm(folder, { recursive: true, force: true });
});

const upstreamPort = (): number => (upstream.address() as AddressInfo).port;

const grantOf = (changes: Partial<GrantRequest> = {}): GrantRequest => ({
  attemptId: 'A1',
  epoch: 1,
  tokenHash: hashToken(TOKEN),
  upstreamBaseUrl: `http://127.0.0.1:${upstreamPort()}/v1`,
  apiKey: KEY,
  expiresAtMs: nowMs + 60_000,
  socketFolder: folder,
  ...changes,
});

function ask(options: {
  path?: string;
  method?: string;
  token?: string | null;
  body?: string | Buffer;
  headers?: Record<string, string>;
  viaPort?: boolean;
  socketFolder?: string;
}): Promise<Reply> {
  const { token = TOKEN, method = 'POST', path = '/v1/responses' } = options;
  const where = options.viaPort
    ? { host: '127.0.0.1', port: proxy.hostPort }
    : { socketPath: join(options.socketFolder ?? folder, 'proxy.sock') };
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { ...where, method, path, headers: { ...authorization, ...options.headers } },
      (response) => {
        const chunks: Buffer[] = [];
        const atMs: number[] = [];
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          atMs.push(performance.now());
        });
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, atMs });
        });
      },
    );
    request.on('error', reject);
    request.end(options.body ?? (method === 'POST' ? '{}' : undefined));
  });
}

describe('model proxy', () => {
  it('swaps the token for the key, drops cookies and hop headers, keeps path and body', async () => {
    let seen: IncomingMessage | undefined;
    let body = '';
    handler = (request, response) => {
      seen = request;
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.writeHead(201, { 'set-cookie': 'a=b', 'x-request-id': 'r1', 'keep-alive': 'x' });
        response.end('answer');
      });
    };
    await proxy.grant(grantOf());
    const reply = await ask({
      path: '/v1/responses?x=1',
      body: '{"stream":true}',
      headers: {
        cookie: 'c=1',
        'x-forwarded-for': '1.2.3.4',
        'x-api-key': TOKEN,
        'thread-id': 't',
      },
    });
    expect(reply).toMatchObject({ status: 201, text: 'answer' });
    expect(reply.headers['x-request-id']).toBe('r1');
    expect(reply.headers['set-cookie']).toBeUndefined();
    expect(seen?.url).toBe('/v1/responses?x=1');
    expect(seen?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(seen?.headers['thread-id']).toBe('t');
    expect(seen?.headers.host).toBe(`127.0.0.1:${upstreamPort()}`);
    expect(JSON.stringify(seen?.headers)).not.toContain(TOKEN);
    expect(seen?.headers.cookie ?? seen?.headers['x-forwarded-for']).toBeUndefined();
    expect(body).toBe('{"stream":true}');
  });

  it('appends the path to bases with and without a version', async () => {
    const paths: (string | undefined)[] = [];
    handler = (request, response) => {
      paths.push(request.url);
      response.end('{}');
    };
    for (const base of ['', '/', '/v1/', '/api/v3', '/prefix']) {
      const upstreamBaseUrl = `http://127.0.0.1:${upstreamPort()}${base}`;
      await proxy.grant(grantOf({ upstreamBaseUrl }));
      await ask({});
    }
    expect(paths).toEqual([
      '/v1/responses',
      '/v1/responses',
      '/v1/responses',
      '/api/v3/responses',
      '/prefix/v1/responses',
    ]);
  });

  it('answers 401 without the right token, and after expiry until renewed', async () => {
    await proxy.grant(grantOf());
    for (const token of [null, 'wrong', '', `${TOKEN}x`]) {
      const reply = await ask({ token });
      expect(reply.status).toBe(401);
      expect(JSON.parse(reply.text)).toMatchObject({ error: { type: 'invalid_token' } });
    }
    expect((await ask({})).status).toBe(200);
    nowMs += 60_001;
    expect((await ask({})).status).toBe(401);
    await proxy.grant(grantOf());
    expect((await ask({})).status).toBe(200);
  });

  it('takes on a grant’s socket only that grant’s token, on the port any', async () => {
    const other = await mkdtemp(join(tmpdir(), 'swy-egress-'));
    await proxy.grant(grantOf());
    await proxy.grant(
      grantOf({ attemptId: 'A2', tokenHash: hashToken('two'), socketFolder: other }),
    );
    expect((await ask({ token: 'two' })).status).toBe(401);
    expect((await ask({ token: 'two', socketFolder: other })).status).toBe(200);
    expect((await ask({ token: 'two', viaPort: true })).status).toBe(200);
    expect((await ask({ viaPort: true })).status).toBe(200);
    expect((await ask({ viaPort: true, token: 'three' })).status).toBe(401);
    await rm(other, { recursive: true });
  });

  it('allows only what an engine needs', async () => {
    await proxy.grant(grantOf());
    const statuses: number[] = [];
    for (const [method, path] of [
      ['GET', '/v1/models'],
      ['POST', '/v1/chat/completions'],
      ['GET', '/v1/responses'],
      ['POST', '/v1/files'],
      ['POST', '/v1/../admin'],
      ['POST', '/v1/responses/../files'],
      ['DELETE', '/v1/models/x'],
      ['POST', 'http://elsewhere/v1/responses'],
    ] as const) {
      statuses.push((await ask({ method, path })).status);
    }
    expect(statuses).toEqual([200, 404, 404, 404, 404, 404, 404, 403]);
  });

  it('streams answers piece by piece', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      setTimeout(() => response.end('data: 2\n\n'), 200);
    };
    await proxy.grant(grantOf());
    const reply = await ask({});
    expect(reply.text).toBe('data: 1\n\ndata: 2\n\n');
    expect((reply.atMs.at(-1) ?? 0) - (reply.atMs[0] ?? 0)).toBeGreaterThan(100);
  });

  it('refuses a body over the limit, announced or not', async () => {
    handler = (request, response) => {
      request.resume();
      request.on('end', () => response.end('{}'));
    };
    await proxy.grant(grantOf());
    expect((await ask({ body: Buffer.alloc(900_000) })).status).toBe(200);
    expect((await ask({ body: Buffer.alloc(1_100_000) })).status).toBe(413);
    const chunked = { 'transfer-encoding': 'chunked' };
    const late = await ask({ body: Buffer.alloc(1_100_000), headers: chunked });
    expect(late.status).toBe(413);
  });

  it('answers 502 in the provider’s shape when upstream is down, without key or address', async () => {
    await proxy.grant(grantOf({ upstreamBaseUrl: 'http://127.0.0.1:1/secret-path' }));
    const reply = await ask({});
    expect(reply.status).toBe(502);
    expect(JSON.parse(reply.text)).toMatchObject({ error: { type: 'provider_unreachable' } });
    for (const secret of [KEY, '127.0.0.1', 'secret-path', TOKEN]) {
      expect(reply.text).not.toContain(secret);
    }
  });

  it('passes a provider’s own errors on', async () => {
    handler = (_request, response) => {
      response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' });
      response.end('{"error":{"type":"usage_limit_reached"}}');
    };
    await proxy.grant(grantOf());
    const reply = await ask({});
    expect(reply.status).toBe(429);
    expect(reply.headers['retry-after']).toBe('7');
    expect(reply.text).toContain('usage_limit_reached');
  });

  it('ends running requests and the socket when revoked', async () => {
    let aborted = false;
    handler = (request, response) => {
      response.writeHead(200);
      response.write('first');
      request.on('close', () => (aborted = true));
    };
    await proxy.grant(grantOf());
    const running = ask({});
    await expect.poll(() => proxy.status()[0]?.active).toBe(1);
    expect(await proxy.revoke({ attemptId: 'A1', epoch: 1 })).toBe(true);
    await expect(running).rejects.toThrow();
    await expect.poll(() => aborted).toBe(true);
    await expect(stat(join(folder, 'proxy.sock'))).rejects.toThrow('ENOENT');
    expect(await proxy.revoke({ attemptId: 'A1', epoch: 1 })).toBe(false);
  });

  it('ends the upstream request when the engine hangs up', async () => {
    let aborted = false;
    handler = (request) => {
      request.on('close', () => (aborted = true));
    };
    await proxy.grant(grantOf());
    const request = httpRequest({
      socketPath: join(folder, 'proxy.sock'),
      method: 'POST',
      path: '/v1/responses',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    request.on('error', () => undefined);
    request.end('{}');
    await expect.poll(() => proxy.status()[0]?.active).toBe(1);
    request.destroy();
    await expect.poll(() => aborted).toBe(true);
    await expect.poll(() => proxy.status()[0]?.active).toBe(0);
  });

  it('forgets grants some time after they expired', async () => {
    await proxy.grant(grantOf());
    expect(await proxy.sweep()).toBe(1);
    nowMs += 60_001;
    expect(await proxy.sweep()).toBe(0);
    expect(proxy.status()).toHaveLength(1);
    nowMs += 60_001;
    await proxy.sweep();
    expect(proxy.status()).toHaveLength(0);
  });
});
