import http from 'node:http';
import https from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Admitted, type EgressState, type Resolve, admit } from './policy/admit.ts';
import { decoderOf, hideInText, hideSecrets, attachSecrets } from './attach-secrets.ts';
import { endResponse } from './end-response.ts';
import { countBytes } from './count-bytes.ts';
import { onlyReads } from './policy/egress-policy.ts';
import { refusalText } from './policy/refusal-text.ts';
import { judgedLookup } from './tunnel.ts';

const CONNECT_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 10 * 60_000;

/**
 * Headers that `forwardHttp` never forwards: those that concern one connection, and those that name
 * the host or the proxies in between.
 */
const hopHeaders = new Set([
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
  'forwarded',
  'via',
]);

/**
 * A plain proxy request (`GET http://host/path`): checks, forwards and streams it. Never throws.
 */
export async function forwardHttp(
  request: IncomingMessage,
  response: ServerResponse,
  state: EgressState,
  options: { resolve: Resolve; signal: AbortSignal },
): Promise<void> {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null;
  const port = Number(url?.port || 80);
  const asked = { host: url?.hostname ?? '', port, tunnel: false };
  // TLS requested in plain text is a client's mistake or an attack; CONNECT is the right way.
  const admitted =
    url?.protocol === 'http:' ? await admit(state, asked, options.resolve) : 'malformed';
  if (url === null || typeof admitted === 'string') {
    const reason = typeof admitted === 'string' ? admitted : 'malformed';
    answer(request, response, { status: 403, reason, text: refusalText(asked, reason) });
    return;
  }
  try {
    await forwardAdmitted(request, response, { url, state, admitted, ...options });
  } catch {
    const text = `switchyard: ${admitted.target.host}:${port} does not answer`;
    if (!response.destroyed)
      answer(request, response, { status: 502, reason: 'unreachable', text });
  } finally {
    state.active -= 1;
  }
}

async function forwardAdmitted(
  request: IncomingMessage,
  response: ServerResponse,
  call: { url: URL; state: EgressState; admitted: Admitted; signal: AbortSignal },
): Promise<void> {
  const { url, state, admitted } = call;
  if (isForReading(admitted) && !onlyReads(request.method ?? '', url.pathname + url.search)) {
    const { host, port } = admitted.target;
    state.log.note(host, port, 'read_only_host');
    const asked = { host: url.hostname, port: Number(url.port || 80), tunnel: false };
    const text = refusalText(asked, 'read_only_host');
    answer(request, response, { status: 403, reason: 'read_only_host', text });
    return;
  }
  await exchange(request, response, { ...call, url: targetUrl(url, admitted) });
}

function isForReading({ target }: Admitted): boolean {
  return target.readOnlyOrigin !== null || target.secrets.some(({ writes }) => !writes);
}

/** The parts are set one by one: a path such as `//host/x` would name a host if resolved. */
function targetUrl(asked: URL, { target }: Admitted): URL {
  const name = target.host.includes(':') ? `[${target.host}]` : target.host;
  // A request with a secret is sent over TLS only.
  const origin =
    target.secrets.length > 0 ? `https://${name}:${target.port}` : target.readOnlyOrigin;
  if (origin === null) {
    const url = new URL(asked);
    url.hostname = name;
    return url;
  }
  const url = new URL(origin);
  url.pathname = asked.pathname;
  url.search = asked.search;
  return url;
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  call: { url: URL; state: EgressState; admitted: Admitted; signal: AbortSignal },
): Promise<void> {
  const { url, state, admitted } = call;
  const { entry, addresses, secrets } = admitted;
  const headers = passed(request.headers);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const upstream = (url.protocol === 'https:' ? https : http).request(url, {
    method: request.method,
    headers: secrets.length === 0 ? headers : attachSecrets(headers, secrets),
    signal: AbortSignal.any([gone.signal, call.signal]),
    lookup: judgedLookup(addresses),
    agent: false,
  });
  const connecting = setTimeout(() => upstream.destroy(new Error('timeout')), CONNECT_TIMEOUT_MS);
  upstream.once('socket', (socket) => socket.once('connect', () => clearTimeout(connecting)));
  upstream.setTimeout(IDLE_TIMEOUT_MS, () => upstream.destroy(new Error('idle')));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve);
    upstream.on('error', reject);
  });
  const sent = countBytes(state, entry, 'sentBytes');
  sent.once('error', () => upstream.destroy(new Error('byte limit')));
  request.pipe(sent).pipe(upstream);
  try {
    const incoming = await answered;
    const received = countBytes(state, entry, 'receivedBytes');
    if (secrets.length === 0) {
      response.writeHead(incoming.statusCode ?? 502, passed(incoming.headers));
      response.flushHeaders();
      await pipeline(incoming, received, response);
      return;
    }
    const decoders = decoderOf(incoming.headers['content-encoding']);
    if (decoders === null) throw new Error('an answer that cannot be looked through');
    response.writeHead(incoming.statusCode ?? 502, shownHeaders(incoming, url, admitted));
    response.flushHeaders();
    const isEmpty = request.method === 'HEAD' || [204, 304].includes(incoming.statusCode ?? 502);
    const steps = isEmpty ? [] : [...decoders, hideSecrets(secrets)];
    await pipeline([incoming, ...steps, received, response]);
  } finally {
    clearTimeout(connecting);
    upstream.destroy();
  }
}

/** Headers without those of the hop and those that `connection` names. */
function passed(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopHeaders.has(name) && !named.includes(name)),
  );
}

/**
 * Headers of a response to a request with secrets: secrets are hidden, and an address on the same
 * host is rewritten without TLS, as the container must request it.
 */
function shownHeaders(
  incoming: IncomingMessage,
  url: URL,
  { secrets }: Admitted,
): http.OutgoingHttpHeaders {
  const headers = passed(incoming.headers);
  const encoding = incoming.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    delete headers['content-encoding'];
    delete headers['content-length'];
  }
  const { location } = incoming.headers;
  const next = URL.canParse(location ?? '', url.href) ? new URL(location ?? '', url) : null;
  if (location !== undefined && next?.protocol === 'https:' && next.host === url.host) {
    next.protocol = 'http:';
    headers.location = next.href;
  }
  const shown = Object.entries(headers).map(([name, value]) => {
    const texts = Array.isArray(value) ? value : [String(value)];
    const hidden = texts.map((text) => hideInText(text, secrets));
    return [name, Array.isArray(value) ? hidden : hidden[0]];
  });
  return Object.fromEntries(shown);
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, reason, text }: { status: number; reason: string; text: string },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-switchyard-refused': reason,
    connection: 'close',
  });
  endResponse(request, response, `${text}\n`);
}
