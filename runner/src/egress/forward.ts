import http from 'node:http';
import https from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Grant } from './grant.ts';

/** Limits of one request through the proxy. */
export const FORWARD_LIMITS = {
  requestBodyBytes: 64 * 1024 * 1024,
  connectTimeoutMs: 30_000,
  /** Longest silence of an upstream: a model may think for minutes before its first word. */
  idleTimeoutMs: 10 * 60_000,
  /** Whole life of a request. */
  totalTimeoutMs: 60 * 60_000,
  responseHeaderBytes: 64 * 1024,
};
/** How long the rest of a refused body is read before the connection is closed. */
const DRAIN_MS = 2_000;
const TOO_LARGE = {
  ...{ status: 413, type: 'request_too_large' },
  message: 'the request body is over the proxy’s limit',
};

export type ForwardLimits = typeof FORWARD_LIMITS;

/** What an engine may ask of a provider, and nothing else. */
const allowed: readonly { method: string; path: RegExp }[] = [
  { method: 'POST', path: /^\/v1\/responses$/ },
  { method: 'POST', path: /^\/v1\/responses\/compact$/ },
  { method: 'POST', path: /^\/v1\/chat\/completions$/ },
  { method: 'GET', path: /^\/v1\/models(\/[A-Za-z0-9._:-]{1,200})?$/ },
];

/** Headers that belong to one hop, or that would carry identity past the grant. */
const droppedHeaders = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host', 'content-length'],
  ...['authorization', 'x-api-key', 'api-key', 'cookie', 'set-cookie', 'forwarded', 'via'],
]);

/**
 * Answers in the provider's own error shape, so that the engine understands it. A body still on its
 * way is read and thrown away for a moment: closing on unread bytes would lose the answer.
 */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: { status: number; type: string; message: string },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, type, message } = error;
  const body = JSON.stringify({ error: { message, type, param: null, code: type } });
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.write(body);
  const timer = setTimeout(() => response.end(), DRAIN_MS);
  response.once('close', () => clearTimeout(timer));
  if (request.complete) response.end();
  else request.once('end', () => response.end()).resume();
}

/** Path and query for upstream; null when the engine may not ask that. */
function upstreamUrl(grant: Grant, method: string, target: string): URL | null {
  const [path = '', query] = target.split('?', 2);
  if (!allowed.some((rule) => rule.method === method && rule.path.test(path))) return null;
  const url = new URL(grant.upstreamBaseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  url.pathname = /\/v\d+[a-z0-9]*$/.test(base) ? base + path.slice('/v1'.length) : base + path;
  url.search = query === undefined ? url.search : `?${query}`;
  return url;
}

/** Headers less those of the hop, and less what `connection` names. */
function passedHeaders(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  const named = new Set(
    (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()),
  );
  const passed: http.OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    const dropped = droppedHeaders.has(name) || named.has(name) || name.startsWith('x-forwarded-');
    if (!dropped && value !== undefined) passed[name] = value;
  }
  return passed;
}

/**
 * Sends a request that has shown its token to the grant's provider, with the provider's key, and
 * streams both bodies. Always ends the response; errors are answered, never thrown, and name
 * neither key nor address.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  grant: Grant,
  limits: ForwardLimits = FORWARD_LIMITS,
): Promise<void> {
  const url = upstreamUrl(grant, request.method ?? '', request.url ?? '');
  if (!url) {
    const message = `${request.method} on this path is not allowed`;
    sendError(request, response, { status: 404, type: 'not_allowed', message });
    return;
  }
  if (Number(request.headers['content-length'] ?? 0) > limits.requestBodyBytes) {
    sendError(request, response, TOO_LARGE);
    return;
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const signal = AbortSignal.any([
    gone.signal,
    grant.revoked.signal,
    AbortSignal.timeout(limits.totalTimeoutMs),
  ]);
  try {
    await exchange(request, response, { url, grant, limits, signal });
  } catch (error) {
    answerFailure(request, response, error);
  }
}

class BodyTooLarge extends Error {}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  call: { url: URL; grant: Grant; limits: ForwardLimits; signal: AbortSignal },
): Promise<void> {
  const headers = passedHeaders(request.headers);
  if (call.grant.apiKey !== null) headers['authorization'] = `Bearer ${call.grant.apiKey}`;
  const length = request.headers['content-length'];
  if (length !== undefined) headers['content-length'] = length;
  const upstream = (call.url.protocol === 'https:' ? https : http).request(call.url, {
    method: request.method,
    headers,
    signal: call.signal,
    maxHeaderSize: call.limits.responseHeaderBytes,
    agent: false,
  });
  const connecting = setTimeout(
    () => upstream.destroy(new Error('connect timeout')),
    call.limits.connectTimeoutMs,
  );
  upstream.on('socket', (socket) => {
    const ready = call.url.protocol === 'https:' ? 'secureConnect' : 'connect';
    socket.once(ready, () => clearTimeout(connecting));
  });
  upstream.setTimeout(call.limits.idleTimeoutMs, () => upstream.destroy(new Error('idle timeout')));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve);
    upstream.once('error', reject);
  });
  // Not a pipeline: that would destroy the request with it, and no error could be answered.
  request
    .pipe(limitBody(call.limits.requestBodyBytes, () => upstream.destroy(new BodyTooLarge())))
    .pipe(upstream);
  try {
    const answer = await answered;
    const { statusCode: status = 502 } = answer;
    response.writeHead(status, passedHeaders(answer.headers));
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    await pipeline(answer, response);
  } finally {
    clearTimeout(connecting);
    upstream.destroy();
  }
}

function limitBody(maxBytes: number, exceed: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const before = bytes;
      bytes += chunk.length;
      if (before <= maxBytes && bytes > maxBytes) exceed();
      done(null, bytes > maxBytes ? undefined : chunk);
    },
  });
}

function answerFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (error instanceof BodyTooLarge) {
    sendError(request, response, TOO_LARGE);
    return;
  }
  // Only the code: messages of the network layer name addresses.
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
  const message = `the model provider cannot be reached (${code})`;
  sendError(request, response, { status: 502, type: 'provider_unreachable', message });
}
