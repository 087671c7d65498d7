import { cutText } from '@switchyard/shared/text/cut-text';
import type { Context } from 'hono';
import type { HttpBindings } from '../bindings.ts';

const MAX_CHARACTERS = 64;
/** Groups of an IPv6 address that form a network: its owner has all addresses in it. */
const NETWORK_GROUPS = 4;

/**
 * The address by which a client is counted: the socket's peer, or, behind `trustedHops` own
 * proxies, the entry of `X-Forwarded-For` that the outermost of them wrote. For IPv6 the /64
 * network.
 */
export function clientAddress(c: Context, trustedHops: number): string {
  return networkOf(fullAddress(c, trustedHops));
}

function fullAddress(c: Context, trustedHops: number): string {
  const peer = (c.env as Partial<HttpBindings> | undefined)?.remoteAddress ?? 'unknown';
  if (trustedHops <= 0) return peer;
  const chain = (c.req.header('X-Forwarded-For') ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const entry = chain.at(-trustedHops) ?? chain[0];
  return entry === undefined ? peer : cutText(entry, MAX_CHARACTERS);
}

/** `2001:db8::1` becomes `2001:db8:0:0::/64`, `::ffff:1.2.3.4` becomes `1.2.3.4`; others stay. */
function networkOf(address: string): string {
  const [, before = '', bare = ''] = /^(client )?\[?([0-9a-f:]+)/i.exec(address) ?? [];
  const mapped = /^(client )?::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return `${mapped[1] ?? ''}${mapped[2]}`;
  if (!bare.includes(':') || !URL.canParse(`http://[${bare}]/`)) return address;
  const { hostname } = new URL(`http://[${bare}]/`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const first = groups(head);
  const last = groups(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return `${before}${all.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
