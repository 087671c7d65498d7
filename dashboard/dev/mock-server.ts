/** Serves dist/ and a made-up service, to look at the dashboard without one: node dev/mock-server.ts [port] */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { dropStreams, emit, stream } from './mock-events.ts';
import { ROUTES } from './mock-routes.ts';
import { continuation, opening, type Step } from './mock-run.ts';

const DIST = join(import.meta.dirname, '..', 'dist');
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

let runnerSeq = 0;

function emitStep(step: Step, atMs: number, of = 'SY-12', attemptId = 'att-SY-12-2'): void {
  runnerSeq += 1;
  emit(
    'attempt.event',
    { attemptId, identifier: of, epoch: 1, runnerSeq, kind: step.kind, payload: step.payload },
    atMs,
  );
}

const PAST: [string, Record<string, unknown>][] = [
  ['runner.connected', { name: 'attic' }],
  ['config.changed', { path: 'agent.maxConcurrentAgents' }],
  ['issue.queued', { identifier: 'SY-8', reason: 'offered to a runner' }],
  ['issue.started', { identifier: 'SY-8' }],
  ['attempt.phase', { identifier: 'SY-8', phase: 'streaming' }],
  ['attempt.ended', { identifier: 'SY-11', outcome: 'oom', failureKind: 'container_oom' }],
  ['issue.failed', { identifier: 'SY-11', reason: 'retries_exhausted' }],
  ['pull_request.opened', { identifier: 'SY-8', url: '/pull-requests/pr-4' }],
  ['issue.completed', { identifier: 'SY-8', reason: 'Pull request opened' }],
  ['issue.blocked', { identifier: 'SY-7', reason: 'the agent needs an account setting' }],
  ['runner.draining', { name: 'basement' }],
  ['alert.fired', { ruleName: 'too many failures' }],
  ['request.asked', { identifier: 'SY-14', question: 'Which bucket should new avatars go to?' }],
];

function prepare(): void {
  PAST.forEach(([type, data], position) =>
    emit(type, data, Date.now() - (95 - 6 * position) * 60_000),
  );
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
if (DROP_MS > 0) setInterval(dropStreams, DROP_MS);
createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const answer = url.pathname.startsWith('/api/v1/')
    ? api(request, response, url)
    : asset(response, url.pathname);
  answer.catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
