import { connect, type Socket } from 'node:net';
import { OpenAPIHono } from '@hono/zod-openapi';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { createTestPorts } from '../../../../test/support/test-ports.ts';
import type { Database } from '../../db/database.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import { createEventSignal } from '../../observe/events/create-event-signal.ts';
import { eventRoutes } from '../../observe/events/routes.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { installMiddleware } from '../../http/install-middleware.ts';
import { createOpenStreams, type OpenStreams } from '../../http/limits/open-streams.ts';
import { environmentTokens } from '../../http/caller/environment-tokens.ts';
import { serveApp } from './http/serve-app.ts';

const LIMITS = {
  apiPerMinute: 10_000,
  webhooksPerMinute: 10_000,
  runnerFailuresPerMinute: 10,
  streamsPerClient: 200,
  streams: 400,
};
/** The kernel alone takes some 10 MB for each before anything waits here. */
const READERS = 20;
const EVENTS = 400;
const EVENT_BYTES = 32_000;

let db: Database;
let closeDatabase: () => Promise<void>;
let server: Awaited<ReturnType<typeof serveApp>>;
let streams: OpenStreams;
let limits = LIMITS;
let revoked = false;
let admitted = 0;
const signal = createEventSignal();
const sockets: Socket[] = [];

beforeEach(async () => {
  ({ db, close: closeDatabase } = await createTestDatabase());
  limits = LIMITS;
  revoked = false;
  admitted = 0;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
  await closeDatabase();
});

/** The real server over the real middleware, with the event stream and one page. */
async function start(times: { keepAliveMs?: number; stallMs?: number } = {}): Promise<void> {
  const ports = createTestPorts();
  const app = new OpenAPIHono<HttpEnv>();
  const readLimits = async () => limits;
  const fixed = environmentTokens({ writeToken: 'w', readToken: undefined });
  installMiddleware(app, ports, {
    tokens: {
      ...fixed,
      verify: async (token) =>
        token === 'named' && !revoked ? { name: 'ci', scope: 'read' } : fixed.verify(token),
    },
    allowedHosts: [],
    limits: readLimits,
  });
  const made = createOpenStreams({ limits: readLimits, redact: (json) => json, ...times });
  streams = {
    ...made,
    admit: (...given) => {
      admitted += 1;
      return made.admit(...given);
    },
  };
  app.openapiRoutes(eventRoutes({ db, events: signal, clock: ports.clock, streams }));
  app.get('/healthz', (c) => c.text('ok'));
  app.post('/api/v1/refresh', (c) => c.json({}));
  server = await serveApp(app, { host: '127.0.0.1', port: 0 });
}

async function fill(): Promise<void> {
  const event = {
    type: 'issue.updated' as const,
    atMs: 0,
    data: { text: 'x'.repeat(EVENT_BYTES) },
  };
  for (let made = 0; made < EVENTS; made += 1) {
    const [first, ...rest] = appendEvents(db, 0, [event]);
    if (first !== undefined) await db.batch([first, ...rest]);
  }
}

/** A connection that sends `text`; what comes back is read only when asked. */
function open(text: string): Socket {
  const socket = connect(server.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(text);
  return socket;
}

/** Everything until the other side ends the connection, or until `enough` says so. */
function readAll(socket: Socket, enough: (text: string) => boolean = () => false) {
  return new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setTimeout(20_000, () => reject(new Error(`nothing more in 20 s after: ${text}`)));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (enough(text)) resolve(text);
    });
    socket.once('close', () => resolve(text));
    socket.resume();
  });
}

const exchange = (text: string) => readAll(open(text));
const get = (path: string, headers: string) =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;
const REMOTE = 'X-Forwarded-For: 192.0.2.1\r\n';
const until = (check: () => void) => vi.waitFor(check, { timeout: 25_000, interval: 10 });

describe('listeners who do not read', () => {
  it('cost little each, are dropped, and go on where they were', { timeout: 60_000 }, async () => {
    await start({ stallMs: 1_500 });
    await fill();
    const readers = Array.from({ length: READERS }, () => open(get('/api/v1/events?after=0', '')));
    let most = 0;
    await until(() => {
      most = Math.max(most, streams.waitingBytes());
      expect([admitted, streams.openCount()]).toEqual([READERS, 0]);
    });
    // Of 12.8 MB that each of them asked for.
    expect(most).toBeLessThan(READERS * 262_144);
    expect(most).toBeGreaterThan(0);
    expect(streams.waitingBytes()).toBe(0);
    const got = await readAll(readers[0] as Socket);
    const last = Number([...got.matchAll(/\nid: (\d+)\n\n/g)].at(-1)?.[1] ?? 0);
    expect(last).toBeLessThan(EVENTS);
    const again = open(get('/api/v1/events', `Last-Event-ID: ${last}\r\n`));
    const rest = await readAll(again, (text) => text.includes(`\nid: ${EVENTS}\n`));
    const ids = [...rest.matchAll(/\nid: (\d+)\n\n/g)].map((match) => Number(match[1]));
    expect(ids).toEqual(Array.from({ length: EVENTS - last }, (_, index) => last + 1 + index));
  });

  it('are refused beyond what one client and all together may have', async () => {
    limits = { ...LIMITS, streamsPerClient: 2, streams: 4 };
    await start();
    const stream = (headers: string) =>
      readAll(open(get('/api/v1/events', headers)), (text) => text.includes('\r\n\r\n'));
    for (let count = 0; count < 2; count += 1) expect(await stream('')).toContain(' 200 OK');
    const third = await stream('');
    expect(third).toContain(' 429 ');
    expect(third).toMatch(/retry-after: 15/i);
  });
});

describe('a listener whose token is revoked', () => {
  it('is gone within one keep-alive; others stay', async () => {
    await start({ keepAliveMs: 50 });
    const named = open(get('/api/v1/events', `${REMOTE}Authorization: Bearer named\r\n`));
    const other = open(get('/api/v1/events', `${REMOTE}Authorization: Bearer w\r\n`));
    await until(() => expect(streams.openCount()).toBe(2));
    revoked = true;
    const heard = await readAll(named, (text) => text.endsWith('0\r\n\r\n'));
    expect(heard).toContain(': connected');
    expect(streams.openCount()).toBe(1);
    expect(other.destroyed).toBe(false);
  });
});

describe('a connection', () => {
  it('that asks for another protocol is answered like any request', async () => {
    await start();
    const upgrade = 'Connection: Upgrade, close\r\nUpgrade: h2c\r\n';
    expect(await exchange(get('/healthz', upgrade))).toContain('HTTP/1.1 200');
    const websocket = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n';
    expect(await exchange(get('/healthz', websocket))).toContain('HTTP/1.1 200');
  });

  it('is somebody else’s also when the proxy’s own header is one of thousands', async () => {
    await start();
    const flood = Array.from({ length: 2_500 }, () => 'a:\r\n').join('');
    const head = 'POST /api/v1/refresh HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n';
    expect(await exchange(`${head}\r\n`)).toContain('HTTP/1.1 200');
    expect(await exchange(`${head}${flood}${REMOTE}\r\n`)).toContain('HTTP/1.1 401');
  });

  it('with headers beyond 16 KiB is refused', async () => {
    await start();
    expect(await exchange(get('/healthz', `X: ${'x'.repeat(20_000)}\r\n`))).toContain(' 431 ');
  });
});
