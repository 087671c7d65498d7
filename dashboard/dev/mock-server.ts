/** Serves dist/ and a made-up service, to look at the dashboard without one: node dev/mock-server.ts [port] */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import type { StreamEvent } from '@switchyard/shared/api/attempt';
import type { Issue } from '@switchyard/shared/api/issue';
import {
  ago,
  attempts,
  comments,
  DIFF,
  issue,
  issues,
  pullRequests,
  requests,
  routes,
  runners,
  tokens,
} from './mock-data.ts';
import { continuation, opening, type Step } from './mock-run.ts';

const DIST = join(import.meta.dirname, '..', 'dist');
const EMPTY = process.argv.includes('--empty');
const RATE = Number(process.argv.find((argument) => argument.startsWith('--rate='))?.slice(7) ?? 0);
const DROP_MS = Number(
  process.argv.find((argument) => argument.startsWith('--drop-ms='))?.slice(10) ?? 0,
);
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

const events: StreamEvent[] = [];
const streams = new Set<ServerResponse>();
let runnerSeq = 0;

function emit(type: string, data: Record<string, unknown>, atMs = Date.now()): void {
  const event: StreamEvent = {
    seq: events.length + 1,
    type,
    at: new Date(atMs).toISOString(),
    data,
  };
  events.push(event);
  for (const stream of streams) stream.write(frame(event));
}

const frame = (event: StreamEvent) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;

function emitStep(step: Step, atMs: number, of = 'SY-12', attemptId = 'att-SY-12-2'): void {
  runnerSeq += 1;
  emit(
    'attempt.event',
    { attemptId, identifier: of, epoch: 1, runnerSeq, kind: step.kind, payload: step.payload },
    atMs,
  );
}

function prepare(): void {
  let atMs = Date.now() - 13 * 60_000;
  emit('attempt.phase', { attemptId: 'att-SY-12-2', identifier: 'SY-12', phase: 'leased' }, atMs);
  for (const step of opening()) emitStep(step, (atMs += step.afterMs * 8));
  atMs = Date.now() - 40 * 60_000;
  for (const step of opening().slice(0, 14))
    emitStep(step, (atMs += step.afterMs), 'SY-12', 'att-SY-12-1');
  emit(
    'attempt.ended',
    {
      attemptId: 'att-SY-12-1',
      identifier: 'SY-12',
      outcome: 'failed',
      failureKind: 'provider_unreachable',
      message: 'stream disconnected',
    },
    atMs + 5_000,
  );
}

async function live(): Promise<void> {
  for (let round = 0; ; round += 1) {
    for (const step of continuation(round)) {
      await new Promise((resolve) =>
        setTimeout(resolve, RATE > 0 ? 1_000 / RATE : step.afterMs + 600),
      );
      emitStep(step, Date.now());
    }
  }
}

type Route = (params: string[], url: URL, body: Record<string, unknown>) => unknown;
const find = (id: string | undefined) => issues.find((entry) => entry.identifier === id);

const ROUTES: [method: string, path: RegExp, answer: Route][] = [
  ['GET', /^\/state$/, state],
  [
    'GET',
    /^\/runtime$/,
    () => ({
      version: '0.1.0',
      data_dir: '/var/lib/switchyard',
      feature_flags: {},
      provider: EMPTY ? null : 'openai',
      uptime_seconds: 93_211,
      instance: { id: 'a', role: 'active' },
    }),
  ],
  [
    'GET',
    /^\/local\/issues$/,
    () => ({ issues: EMPTY ? [] : issues, total: EMPTY ? 0 : issues.length }),
  ],
  ['POST', /^\/local\/issues$/, createIssue],
  ['GET', /^\/local\/issues\/([^/]+)\/comments$/, () => ({ comments })],
  [
    'POST',
    /^\/local\/issues\/([^/]+)\/comments$/,
    (_, __, body) => {
      const at = new Date().toISOString();
      comments.push({
        id: `c${comments.length + 1}`,
        author: 'You',
        byService: false,
        body: String(body['body']),
        createdAt: at,
        updatedAt: at,
      });
      return comments.at(-1);
    },
  ],
  [
    'GET',
    /^\/requests$/,
    (_, url) =>
      list(
        'requests',
        requests.filter(
          (entry) =>
            !url.searchParams.has('state') || entry.state === url.searchParams.get('state'),
        ),
      ),
  ],
  [
    'POST',
    /^\/requests\/([^/]+)\/answer$/,
    ([id], _, body) => {
      const request = requests.find((entry) => entry.requestId === id);
      if (request)
        Object.assign(request, {
          state: 'answered',
          answers: body['answers'],
          answeredBy: 'local',
          answeredAt: new Date().toISOString(),
        });
      emit('request.answered', {
        requestId: id,
        attemptId: request?.attemptId,
        identifier: request?.identifier,
      });
      return request;
    },
  ],
  ['GET', /^\/runners$/, () => list('runners', runners)],
  [
    'POST',
    /^\/runners\/tokens$/,
    () => ({
      token: 'swy_join_2Jw8mQbn4Zt7Lr1XcVfE0p',
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  ],
  ['GET', /^\/setup\/repo-routes$/, () => ({ routes: EMPTY ? [] : routes })],
  ['POST', /^\/setup\/repo-route$/, (_, __, body) => routes.push(body as never)],
  ['DELETE', /^\/setup\/repo-route\/(\d+)$/, ([index]) => routes.splice(Number(index), 1)],
  ['GET', /^\/local\/pull-requests$/, () => list('pullRequests', pullRequests)],
  [
    'GET',
    /^\/local\/pull-requests\/([^/]+)$/,
    ([id]) => pullRequests.find((entry) => entry.id === id),
  ],
  ['GET', /^\/local\/pull-requests\/([^/]+)\/diff$/, () => DIFF],
  [
    'POST',
    /^\/local\/pull-requests\/([^/]+)\/(merge|close)$/,
    ([id, verb]) => {
      const found = pullRequests.find((entry) => entry.id === id);
      return (
        found &&
        Object.assign(found, {
          status: verb === 'merge' ? 'merged' : 'closed',
          mergeCommitSha: verb === 'merge' ? 'feedbeef12345678' : null,
        })
      );
    },
  ],
  [
    'GET',
    /^\/attempts\/([^/]+)$/,
    ([id], url) => {
      const after = Number(url.searchParams.get('after') ?? 0);
      const own = events.filter((event) => event.data['attemptId'] === id && event.seq > after);
      return {
        ...attempts.find((entry) => entry.attemptId === id),
        events: own.slice(0, Number(url.searchParams.get('limit') ?? 50)),
      };
    },
  ],
  [
    'POST',
    /^\/([A-Z]+-\d+)\/(abort|retry)$/,
    ([id, verb]) => {
      const found = find(id);
      if (found)
        Object.assign(found, {
          status: verb === 'abort' ? 'cancelled' : 'queued',
          reason: verb === 'abort' ? 'Stopped by a person' : 'Waits for a free slot',
        });
      emit(`issue.${verb === 'abort' ? 'cancelled' : 'queued'}`, {
        identifier: id,
        issueId: found?.id,
      });
      return { ok: true };
    },
  ],
  ['GET', /^\/([A-Z]+-\d+)\/attempts$/, ([id]) => attemptList(id)],
  [
    'GET',
    /^\/([A-Z]+-\d+)$/,
    ([id]) => {
      const found = find(id);
      return found && { ...found, recentEvents: [], ...attemptList(id) };
    },
  ],
];

const list = (name: string, entries: unknown[]) => ({
  [name]: EMPTY ? [] : entries,
  total: EMPTY ? 0 : entries.length,
});

function attemptList(id: string | undefined) {
  const own = attempts.filter((entry) => entry.identifier === id);
  return {
    attempts: own,
    currentAttemptId: own.find((entry) => entry.endedAt === null)?.attemptId ?? null,
  };
}

function state() {
  const of = (status: Issue['status']) =>
    EMPTY ? [] : issues.filter((entry) => entry.status === status);
  return {
    generated_at: new Date().toISOString(),
    counts: {},
    queued: of('queued'),
    running: of('running'),
    retrying: of('retrying'),
    blocked: of('blocked'),
    completed: of('completed'),
    failed: of('failed'),
    totals: {
      tokens: tokens(EMPTY ? 0 : 5_284_310),
      cost_usd: EMPTY ? null : 18.42,
      attempts: EMPTY ? 0 : 27,
    },
    paused: process.argv.includes('--paused')
      ? { reason: 'The provider limits usage until 14:00', since: ago(12) }
      : null,
    warnings: EMPTY
      ? []
      : [
          'attic runs agents without isolation: they can read what its user can read. Build the sandbox with npm run sandbox:build.',
        ],
  };
}

function createIssue(_: string[], __: URL, body: Record<string, unknown>): unknown {
  const created = issue(21 + issues.length, String(body['title']), {
    ...(body as Partial<Issue>),
    blockedBy: [],
    createdAt: new Date().toISOString(),
    updatedAt: new Date().toISOString(),
  });
  if (created.title === 'fail') return undefined;
  issues.push(created);
  emit('issue.updated', {
    identifier: created.identifier,
    issueId: created.id,
    status: 'idle',
    reason: null,
  });
  return created;
}

async function api(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  const path = url.pathname.slice('/api/v1'.length);
  if (path === '/events') return stream(request, response, url);
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const body =
    chunks.length > 0
      ? (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>)
      : {};
  for (const [method, pattern, answer] of ROUTES) {
    const match = method === request.method ? pattern.exec(path) : null;
    const result = match === null ? undefined : answer(match.slice(1), url, body);
    if (result === undefined) continue;
    const text = typeof result === 'string';
    response
      .writeHead(200, { 'content-type': text ? 'text/plain' : 'application/json' })
      .end(text ? result : JSON.stringify(result));
    return;
  }
  response
    .writeHead(404, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: 'Issue not found', status: 404 }));
}

function stream(request: IncomingMessage, response: ServerResponse, url: URL): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(': hello\n\n');
  const after = request.headers['last-event-id'] ?? url.searchParams.get('after');
  if (typeof after === 'string')
    for (const event of events.slice(Number(after))) response.write(frame(event));
  streams.add(response);
  request.on('close', () => streams.delete(response));
}

async function asset(response: ServerResponse, pathname: string): Promise<void> {
  const wanted = extname(pathname) === '' ? '/index.html' : normalize(pathname);
  const content = await readFile(join(DIST, wanted)).catch(() => null);
  if (content === null) return void response.writeHead(404).end();
  response
    .writeHead(200, {
      'content-type': TYPES[extname(wanted)] ?? 'application/octet-stream',
      'content-security-policy': POLICY,
    })
    .end(content);
}

const port = Number(process.argv[2] ?? 4100);
prepare();
void live();
// Breaks every stream now and then, to see that nothing is lost or shown twice.
if (DROP_MS > 0) setInterval(() => streams.forEach((stream) => stream.destroy()), DROP_MS);
createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const answer = url.pathname.startsWith('/api/v1/')
    ? api(request, response, url)
    : asset(response, url.pathname);
  answer.catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
