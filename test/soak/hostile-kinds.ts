import type { HostileRequest } from './hostile-socket.ts';

/** Anybody may send to these; each checks its caller itself. */
const OPEN_BODIES = [
  'POST /api/v1/runners/join',
  'POST /api/v1/runners/sync',
  'PUT /api/v1/runners/blobs/att_00000000abcdef/1/diff.patch',
  'POST /webhooks/tracker',
  'POST /webhooks/codehost',
  'POST /api/v1/webhooks/trigger',
  'POST /api/v1/session',
  'POST /api/v1/refresh',
  'GET /api/v1/state',
] as const;
const HUGE_BYTES = 500_000_000;
/** Of these so much is really sent, should the other side take it. */
const SENT_BYTES = 8_388_608;
const QUICK_MS = 10_000;
const HELD_MS = 120_000;
const HEX = 'a'.repeat(64);
const SIGNED = `Linear-Signature: ${HEX}\r\nX-Hub-Signature-256: sha256=${HEX}\r\n`;
/** Looks like a runner's token; nobody signed it. */
const TOKEN = [{ alg: 'EdDSA' }, { sub: 'run_0123456789ab', iss: 'run_0123456789ab', exp: 4e9 }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');

export type HostileKind = {
  name: string;
  /** Connections open at once. */
  atOnce: number;
  /** Between two connections of one of them, milliseconds. */
  pauseMs: number;
  /** The n-th of its requests, from a client with this address. */
  make(index: number, address: string): HostileRequest;
};

function head(line: string, address: string, more = ''): string {
  const common = 'Host: 127.0.0.1\r\nContent-Type: application/json\r\n';
  return `${line} HTTP/1.1\r\n${common}X-Forwarded-For: ${address}\r\n${more}\r\n`;
}

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

/** Bodies that are too long, or never end, or are costly once they are read. */
function bodies(name: string, headers: string, piece?: Buffer): HostileKind {
  return {
    name,
    atOnce: 4,
    pauseMs: 400,
    make: (index, address) => ({
      head: head(
        pick(OPEN_BODIES, index),
        address,
        `Authorization: Bearer ${TOKEN}.${'x'.repeat(86)}\r\n${SIGNED}${headers}`,
      ),
      flood: { bytes: SENT_BYTES, ...(piece === undefined ? {} : { piece }) },
      holdMs: QUICK_MS,
    }),
  };
}

function chunk(text: string): Buffer {
  return Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);
}

/** Each byte a chunk of its own. */
const SINGLE_BYTES = Buffer.from('1\r\nx\r\n'.repeat(10_000));

/** Answers that nobody reads, from routes whose answers are large. */
function deaf(name: string, path: string, atOnce: number): HostileKind {
  return {
    name,
    atOnce,
    pauseMs: 1_000,
    make: (_index, address) => ({
      head: head(`GET ${path}`, address),
      deaf: true,
      holdMs: HELD_MS,
    }),
  };
}

/** What clients without any token do to the service. `paths`: `GET /api/v1/state` and so on. */
export function hostileKinds(paths: readonly string[]): HostileKind[] {
  const small = (
    name: string,
    atOnce: number,
    pauseMs: number,
    make: (index: number) => string,
  ) => ({
    name,
    atOnce,
    pauseMs,
    make: (index: number, address: string) => ({
      head: head(make(index), address, 'Connection: close\r\nContent-Length: 2\r\n').concat('{}'),
      holdMs: QUICK_MS,
    }),
  });
  return [
    small('every path', 4, 50, (index) => pick(paths, index)),
    small('static files', 2, 100, (index) => `GET /assets/../${index}/%2e%2e/x`),
    bodies('long bodies', `Content-Length: ${HUGE_BYTES}\r\n`),
    bodies('endless bodies', 'Transfer-Encoding: chunked\r\n', chunk('x'.repeat(65_000))),
    bodies('many objects', 'Transfer-Encoding: chunked\r\n', chunk('{},'.repeat(20_000))),
    bodies('deep nesting', 'Transfer-Encoding: chunked\r\n', chunk('['.repeat(60_000))),
    bodies('packed bodies', `Content-Encoding: gzip\r\nContent-Length: ${HUGE_BYTES}\r\n`),
    bodies('single bytes', 'Transfer-Encoding: chunked\r\n', SINGLE_BYTES),
    deaf('deaf listeners', '/api/v1/events?after=0', 100),
    deaf('deaf readers', '/api/v1/openapi.json', 40),
    {
      name: 'pipelines',
      atOnce: 4,
      pauseMs: 1_000,
      make: (_index, address) => ({
        head: head('GET /api/v1/openapi.json', address).repeat(200),
        deaf: true,
        holdMs: HELD_MS,
      }),
    },
    {
      name: 'slow headers',
      atOnce: 60,
      pauseMs: 500,
      make: () => ({ head: 'GET / HTTP/1.1\r\nX: ', trickle: 'slow', holdMs: HELD_MS }),
    },
    {
      name: 'slow bodies',
      atOnce: 60,
      pauseMs: 500,
      make: (index, address) => ({
        head: head(
          pick(OPEN_BODIES, index),
          address,
          `${SIGNED}Content-Length: 1000000\r\n`,
        ).concat(`"${'x'.repeat(500_000)}`),
        trickle: 'slow',
        holdMs: HELD_MS,
      }),
    },
    {
      name: 'idle connections',
      atOnce: 100,
      pauseMs: 500,
      make: () => ({ head: '', holdMs: HELD_MS }),
    },
    {
      name: 'many headers',
      atOnce: 2,
      pauseMs: 200,
      make: (index, address) => ({
        head: head(
          'GET /healthz',
          address,
          index % 2 === 0 ? 'a:\r\n'.repeat(2_500) : 'b: '.repeat(9_000),
        ),
        holdMs: QUICK_MS,
      }),
    },
    {
      name: 'upgrades',
      atOnce: 4,
      pauseMs: 100,
      make: (index, address) => ({
        head: head(
          pick(['GET /api/v1/runners/connect', 'GET /', 'GET /api/v1/events'], index),
          address,
          `Connection: Upgrade\r\nUpgrade: ${pick(['websocket', 'h2c', 'x'], index + (index % 2))}\r\n` +
            `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n` +
            `Authorization: Bearer ${TOKEN}.${'y'.repeat(86)}\r\n`,
        ),
        holdMs: QUICK_MS,
      }),
    },
    {
      name: 'guesses',
      atOnce: 4,
      pauseMs: 100,
      make: (index, address) => {
        const body = JSON.stringify({ token: `guess-${index}` });
        const length = `Connection: close\r\nContent-Length: ${body.length}\r\n`;
        return {
          head: head('POST /api/v1/session', address, length).concat(body),
          holdMs: QUICK_MS,
        };
      },
    },
  ];
}
