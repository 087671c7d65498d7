import { networkTrouble } from '@switchyard/shared/network/network-trouble';
import { causeCode } from '@switchyard/shared/causes-of';
import { collectBody } from '@switchyard/shared/host/collect-body';
import { messageOf } from '@switchyard/shared/message-of';
import { lookup } from 'node:dns';
import type { Agent, IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';
import { addressRefusal } from '../../egress/policy/admit.ts';
import { normalHost } from '../../egress/policy/host-rule.ts';
import { WorkspaceError } from '../workspace.ts';
import { LFS_LIMITS } from './lfs-limits.ts';

export type LfsRequest = {
  method: 'GET' | 'POST' | 'PUT';
  headers: Readonly<Record<string, string>>;
  body?: string | Readable;
  signal: AbortSignal;
};

/** The repository and host for which requests are made. */
export type LfsOrigin = {
  /** The repository's own address, whose host and port may be private without `privateHosts`. */
  remote: URL;
  /** All trusted certificates. */
  ca: readonly string[];
  /** Own connections, so that repositories do not share access. */
  agent: Agent;
  privateHosts: readonly string[];
};

const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that are set here, whatever a response names. */
const OWN_HEADERS = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'proxy-authorization',
  'proxy-connection',
  'keep-alive',
]);

/** Headers that a response of the batch API names for an address; forbidden ones are dropped. */
export function namedHeaders(named: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(named).filter(([name, value]) => {
    if (OWN_HEADERS.has(name.toLowerCase())) return false;
    return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  });
  return Object.fromEntries(entries);
}

/**
 * Sends a request to an address that the remote's host named: https only, on the public internet,
 * that host itself or one that the operator allows. A GET follows a few redirects, without its
 * headers to another host. Throws `host_unreachable` or `repository_refused`.
 */
export async function lfsRequest(
  origin: LfsOrigin,
  address: string,
  request: LfsRequest,
): Promise<IncomingMessage> {
  let url = allowedUrl(origin, address);
  let { headers } = request;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(origin, url, { ...request, headers });
    const { location } = answer.headers;
    const isAway = REDIRECTS.has(answer.statusCode ?? 0) && location !== undefined;
    if (!isAway || request.method !== 'GET' || redirects >= MAX_REDIRECTS) return answer;
    answer.destroy();
    const next = allowedUrl(origin, location, url);
    if (next.origin !== url.origin) headers = {};
    url = next;
  }
}

/** The text of a response. Throws `host_unreachable` when it breaks off, and `limit_exceeded`. */
export async function answerText(origin: LfsOrigin, answer: IncomingMessage): Promise<string> {
  const { body, isWhole } = await collectBody(answer, LFS_LIMITS.MAX_ANSWER_BYTES).catch(
    (error: unknown) => {
      throw unreachable(origin.remote, error);
    },
  );
  if (isWhole) return body.toString('utf8');
  answer.destroy();
  throw new WorkspaceError('limit_exceeded', 'an answer of Git LFS is too large');
}

function allowedUrl(origin: LfsOrigin, address: string, from?: URL): URL {
  const url = URL.canParse(address, from?.href) ? new URL(address, from) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw refused(origin, 'an address that is not plain https');
  const host = normalHost(url.hostname);
  if (isIP(host) !== 0) assertAllowed(origin, url, host);
  return url;
}

function assertAllowed(origin: LfsOrigin, url: URL, address: string): void {
  if (url.host === origin.remote.host) return;
  const host = normalHost(url.hostname);
  const port = Number(url.port || 443);
  if (addressRefusal(origin, host, port, address) === null) return;
  throw refused(
    origin,
    `${host}, which is not on the public internet: start the runner with --allow-private-host ${host}:${port} if it may be asked`,
  );
}

function refused({ remote }: LfsOrigin, what: string): WorkspaceError {
  return new WorkspaceError('repository_refused', `Git LFS of ${remote.host} names ${what}`);
}

function send(
  origin: LfsOrigin,
  url: URL,
  { method, headers, body, signal }: LfsRequest,
): Promise<IncomingMessage> {
  const proxy = getProxyForUrl(url.href);
  const agent = proxy === '' ? origin.agent : proxyAgent(proxy);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(unreachable(url, error));
    const sent = https.request(
      url,
      {
        method,
        headers,
        signal,
        agent,
        timeout: LFS_LIMITS.IDLE_TIMEOUT_MS,
        ...(proxy === '' ? {} : { ca: [...origin.ca] }),
        ...(proxy === '' ? { lookup: judgedLookup(origin, url) } : {}),
      },
      resolve,
    );
    sent.on('timeout', () => sent.destroy(new Error('it sent nothing for too long')));
    sent.on('error', fail);
    if (body === undefined || typeof body === 'string') sent.end(body);
    else pipeline(body, sent).catch(fail);
  });
}

/** Resolves a name once, so that the checked address is the one that is used. */
function judgedLookup(origin: LfsOrigin, url: URL): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { all: true }, (error, found) => {
      const why = error ?? refusalOf(origin, url, found);
      if (why !== null) callback(why, '');
      else if (options.all === true) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}

function refusalOf(
  origin: LfsOrigin,
  url: URL,
  found: readonly { address: string }[],
): WorkspaceError | null {
  try {
    for (const { address } of found) assertAllowed(origin, url, address);
    return null;
  } catch (error) {
    if (error instanceof WorkspaceError) return error;
    throw error;
  }
}

function proxyAgent(proxy: string): Agent {
  const url = new URL(proxy.includes('://') ? proxy : `http://${proxy}`);
  const user = decodeURIComponent(url.username);
  const pair = `${user}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return new HttpsProxyAgent(url, {
    headers: user === '' ? {} : { 'proxy-authorization': authorization },
  });
}

function unreachable(url: URL, error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  const code = causeCode(error);
  const why = code === null ? messageOf(error) || 'no answer' : networkTrouble(code);
  return new WorkspaceError('host_unreachable', `Git LFS at ${url.host} cannot be reached: ${why}`);
}
