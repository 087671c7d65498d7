import { collectBody } from '@switchyard/shared/host/collect-body';
import { SCRIPTED_BASE_URL } from '@switchyard/shared/model-providers/scripted-model';
import { networkTrouble } from '@switchyard/shared/network/network-trouble';
import http from 'node:http';
import https from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AnswerMeter } from './model/answer-meter.ts';
import { askForUsage } from './model/ask-for-usage.ts';
import { addProviderKey, credentialHeaders } from './model/credential-headers.ts';
import { SILENCE_CODES } from './model/model-report.ts';
import { upstreamUrl } from '@switchyard/shared/model-providers/upstream-url';
import { type ModelRoute, hasKeyInQuery, modelRoute } from './model/model-route.ts';
import { sendError } from './model/send-error.ts';
import type { Grant } from './grant.ts';
import { answerScripted } from './scripted/answer-scripted.ts';

/** Limits of one request through the proxy. */
export const FORWARD_LIMITS = {
  requestBodyBytes: 64 * 1024 * 1024,
  /**
   * A longer body in the chat format is forwarded unchanged; its response may then lack token
   * counts.
   */
  editedBodyBytes: 8 * 1024 * 1024,
  connectTimeoutMs: 30_000,
  /** Longest silence of an upstream: a model may think for minutes before its first output. */
  idleTimeoutMs: 10 * 60_000,
  /** Time limit for a whole request. */
  totalTimeoutMs: 60 * 60_000,
  responseHeaderBytes: 64 * 1024,
};
const TOO_LARGE = {
  status: 413,
  type: 'request_too_large',
  message: 'the request body is over the proxy’s limit',
};

export type ForwardLimits = typeof FORWARD_LIMITS;

/** Headers of a single hop, and headers with an identity or credentials other than the grant's. */
const droppedHeaders = new Set<string>([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'cookie',
  'set-cookie',
  'forwarded',
  'via',
  ...credentialHeaders,
]);

/** Headers without those of the hop and those that `connection` names. */
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
 * Forwards an authenticated request to the grant's provider with the provider's key, and streams
 * both bodies. Usage and refusals go into the grant's ledger. Always ends the response; errors are
 * answered, never thrown, and contain neither key nor address.
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  grant: Grant,
  limits: ForwardLimits = FORWARD_LIMITS,
): Promise<void> {
  const { method = '', url: target = '' } = request;
  const route = modelRoute(method, target);
  if (route === null) {
    const message = `${method} on this path is not allowed`;
    sendError(request, response, { status: 404, type: 'not_allowed', message });
    return;
  }
  const problem = problemOf(route, target, grant);
  if (problem !== null) {
    sendError(request, response, problem);
    return;
  }
  // A trial is answered here, before anything could open a connection.
  if (grant.upstreamBaseUrl === SCRIPTED_BASE_URL) {
    await answerScripted(request, response, grant);
    return;
  }
  if (Number(request.headers['content-length'] ?? 0) > limits.requestBodyBytes) {
    sendError(request, response, TOO_LARGE);
    return;
  }
  const left = new AbortController();
  response.on('close', () => left.abort());
  const given = AbortSignal.any([left.signal, grant.revoked.signal]);
  const signal = AbortSignal.any([given, AbortSignal.timeout(limits.totalTimeoutMs)]);
  const { wireApi, apiKey: secret, ledger, now } = grant;
  const meter = route.asksModel ? new AnswerMeter(ledger, { wireApi, secret, now }) : null;
  const url = upstreamUrl(grant.upstreamBaseUrl, target);
  try {
    await exchange(request, response, { url, route, grant, limits, signal, given, meter });
  } catch (error) {
    if (given.aborted || error instanceof BodyTooLarge) meter?.end('abandoned');
    else meter?.broke(codeOf(error));
    answerFailure(request, response, error);
  }
}

/** Why a request is not forwarded; null when it is. */
function problemOf(
  { wireApis }: ModelRoute,
  target: string,
  { wireApi }: Grant,
): { status: number; type: string; message: string } | null {
  if (hasKeyInQuery(target)) {
    const message = 'a key in the address is refused: send the token of the attempt as a header';
    return { status: 400, type: 'key_in_address', message };
  }
  if (wireApis.includes(wireApi)) return null;
  const message =
    `this path belongs to the format ${wireApis.join(' or ')}, and the provider of this attempt ` +
    `is asked in the format ${wireApi} (setting engine.provider.wireApi)`;
  return { status: 404, type: 'wrong_format', message };
}

class BodyTooLarge extends Error {}

class UpstreamTimeout extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

type Exchange = {
  url: URL;
  route: ModelRoute;
  grant: Grant;
  limits: ForwardLimits;
  signal: AbortSignal;
  /** Aborts only when nobody waits for the response any more. */
  given: AbortSignal;
  meter: AnswerMeter | null;
};

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  call: Exchange,
): Promise<void> {
  const { url, grant, limits, signal, given, meter } = call;
  const headers = passedHeaders(request.headers);
  // The usage of an encoded response could not be read.
  headers['accept-encoding'] = 'identity';
  addProviderKey(headers, grant.wireApi, grant.apiKey);
  const body = await bodyOf(request, call);
  const length = body.isWhole ? String(body.start.length) : request.headers['content-length'];
  if (length !== undefined) headers['content-length'] = length;
  const upstream = (url.protocol === 'https:' ? https : http).request(url, {
    method: request.method,
    headers,
    signal,
    maxHeaderSize: limits.responseHeaderBytes,
    agent: false,
  });
  const connecting = setTimeout(
    () => upstream.destroy(new UpstreamTimeout('CONNECT_TIMEOUT')),
    limits.connectTimeoutMs,
  );
  upstream.on('socket', (socket) => {
    const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
    socket.once(ready, () => clearTimeout(connecting));
  });
  upstream.setTimeout(limits.idleTimeoutMs, () =>
    upstream.destroy(new UpstreamTimeout(SILENCE_CODES.cutOff)),
  );
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve);
    upstream.once('error', reject);
  });
  sendBody(request, upstream, body, limits);
  try {
    const answer = await answered;
    const { statusCode: status = 502 } = answer;
    meter?.head(status, answer.headers);
    response.writeHead(status, passedHeaders(answer.headers));
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    // Added before the pipeline's own handler, so that what the engine has read is counted.
    if (meter !== null) {
      answer.on('data', (chunk: Buffer) => meter.chunk(chunk));
      answer.once('end', () => meter.end('whole'));
      answer.once('error', (error) => {
        if (!given.aborted) meter.broke(codeOf(error));
      });
    }
    await pipeline(answer, response);
  } finally {
    clearTimeout(connecting);
    upstream.destroy();
  }
}

/** The beginning of a body, or all of it. */
type Body = { start: Buffer; isWhole: boolean };

/**
 * Only in the chat format reads the body, so that streams report their tokens; a long one stays
 * unchanged.
 */
async function bodyOf(
  request: IncomingMessage,
  { route, grant, limits, signal }: Exchange,
): Promise<Body> {
  if (grant.wireApi !== 'chat' || !route.asksModel) {
    return { start: Buffer.alloc(0), isWhole: false };
  }
  const { body, isWhole } = await collectBody(request, limits.editedBodyBytes, signal);
  return { start: isWhole ? askForUsage(body) : body, isWhole };
}

function sendBody(
  request: IncomingMessage,
  upstream: http.ClientRequest,
  { start, isWhole }: Body,
  limits: ForwardLimits,
): void {
  if (isWhole) return void upstream.end(start);
  const limited = limitBody(limits.requestBodyBytes, () => upstream.destroy(new BodyTooLarge()));
  if (start.length > 0) limited.write(start);
  // No pipeline, which would destroy the request as well, so that no error could be answered.
  request.pipe(limited).pipe(upstream);
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
  const message = `the model provider cannot be reached: ${networkTrouble(codeOf(error))}`;
  sendError(request, response, { status: 502, type: 'provider_unreachable', message });
}

/** Only the code, because messages of the network layer contain addresses. */
function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'TOTAL_TIMEOUT';
  if (!(error instanceof Error) || !('code' in error)) return 'failed';
  // The code of an abort is a number, which says nothing.
  return typeof error.code === 'string' ? error.code : 'failed';
}
