import type { Context } from 'hono';
import type { HttpEnv } from './bindings.ts';

const MAX_CHARACTERS = 64;

/**
 * The address a client is counted under: the socket's peer, or, behind `trustedHops` proxies of
 * our own, the entry of `X-Forwarded-For` that the outermost of them wrote.
 */
export function clientAddress(c: Context<HttpEnv>, trustedHops: number): string {
  const peer = c.env?.remoteAddress ?? 'unknown';
  if (trustedHops <= 0) return peer;
  const chain = (c.req.header('X-Forwarded-For') ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const entry = chain.at(-trustedHops) ?? chain[0];
  return entry === undefined ? peer : entry.slice(0, MAX_CHARACTERS);
}
