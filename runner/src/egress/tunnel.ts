import { type LookupFunction, type Socket, connect } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { admit } from './policy/admit.ts';
import type { Address, Admitted, EgressState, Resolve } from './policy/admit.ts';
import { countBytes } from './count-bytes.ts';
import { refusalText } from './policy/refusal-text.ts';

const CONNECT_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 10 * 60_000;
/** A response that nobody reads must not keep a connection open. */
const END_LINGER_MS = 2_000;

/** A lookup for one connection that returns only the checked addresses. */
export function judgedLookup(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    const [first = { address: '', family: 4 }] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** The socket of a request for a tunnel, and what came behind the request already. */
type OpenedSocket = { client: Duplex; head: Buffer };

/**
 * Handles CONNECT: checks the target and forwards bytes in both directions until one side ends.
 * Never throws.
 */
export async function tunnel(
  request: IncomingMessage,
  opened: OpenedSocket,
  state: EgressState,
  options: { resolve: Resolve; signal: AbortSignal },
): Promise<void> {
  const { client } = opened;
  client.on('error', () => client.destroy());
  const [, host = '', port = ''] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(request.url ?? '') ?? [];
  const asked = { host, port: Number(port), tunnel: true };
  const admitted = await admit(state, asked, options.resolve);
  if (typeof admitted === 'string') {
    refuse(client, 403, refusalText(asked, admitted), admitted);
    return;
  }
  try {
    await carry(opened, state, admitted, options.signal);
  } finally {
    state.active -= 1;
    client.destroy();
  }
}

async function carry(
  { client, head }: OpenedSocket,
  state: EgressState,
  { target, addresses, entry }: Admitted,
  signal: AbortSignal,
): Promise<void> {
  // The grant may have ended while the name was looked up.
  if (signal.aborted) return;
  const upstream = await open(target, addresses).catch(() => null);
  if (upstream === null) {
    refuse(client, 502, `${target.host}:${target.port} does not answer`, 'unreachable');
    return;
  }
  const idle = () => upstream.destroy(new Error('idle'));
  upstream.setTimeout(IDLE_TIMEOUT_MS, idle);
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) client.unshift(head);
  const up = pipeline(client, countBytes(state, entry, 'sentBytes'), upstream, { signal });
  const down = pipeline(upstream, countBytes(state, entry, 'receivedBytes'), client, { signal });
  // Either direction may break; the other then ends with it.
  await Promise.allSettled([up, down]);
  upstream.destroy();
}

function open(
  { host, port }: { host: string; port: number },
  addresses: readonly Address[],
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const upstream = connect({
      host,
      port,
      lookup: judgedLookup(addresses),
      autoSelectFamily: true,
    });
    const timer = setTimeout(() => upstream.destroy(new Error('timeout')), CONNECT_TIMEOUT_MS);
    upstream.once('connect', () => {
      clearTimeout(timer);
      upstream.setNoDelay(true);
      resolve(upstream);
    });
    upstream.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/**
 * Refuses with a text in the body, and the reason in a header and in the status line, because
 * clients mostly show only that line.
 */
export function refuse(client: Duplex, status: number, text: string, reason: string): void {
  const body = `${text}\n`;
  client.end(
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Bad Gateway'} (${reason})\r\n` +
      `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-switchyard-refused: ${reason}\r\nconnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => client.destroy(), END_LINGER_MS).unref();
}
