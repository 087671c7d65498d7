import { HostRule } from '@switchyard/shared/sandbox/host-rule';
import { MAX_WORK_SECRETS, WorkSecret } from '@switchyard/shared/sandbox/work-secret';
import * as z from 'zod';
import { matchesHostRule, normalHost } from './host-rule.ts';

/** Name by which a container reaches registries on the runner's own loopback. */
export const RUNNER_ALIAS = 'runner.internal';

const MAX_HOSTS = 500;

/** What one attempt may reach, as the proxy holds it. Made by resolve-policy.ts. */
export const EgressPolicy = z.strictObject({
  hosts: z.array(HostRule).max(MAX_HOSTS),
  /** May have addresses that are not public: the runner's operator said so. */
  privateHosts: z.array(HostRule).max(MAX_HOSTS),
  /** Origins of code hosts for reading, asked as plain `http://host`: the proxy adds TLS. */
  readOnlyOrigins: z.array(z.url({ protocol: /^https?$/ })).max(10),
  /** Hosts that are asked the same way and get a secret as a header. Values are elsewhere. */
  secrets: z.array(WorkSecret).max(MAX_WORK_SECRETS).default([]),
  /** Both directions together. */
  maxBytes: z.int().min(1),
});
export type EgressPolicy = z.infer<typeof EgressPolicy>;

/** Why a request was refused; shown to people and to the agent. */
export type RefusalReason =
  | 'host_not_allowed'
  | 'private_address'
  | 'metadata_address'
  | 'read_only_host'
  | 'secret_host'
  | 'secret_missing'
  | 'byte_limit'
  | 'too_many_connections'
  | 'unknown_host'
  | 'malformed';

/** A name and port that may be asked for; addresses are judged after their resolution. */
export type AllowedTarget = {
  host: string;
  port: number;
  /** TLS and method limits of a code host that is for reading; null elsewhere. */
  readOnlyOrigin: string | null;
  /** Added to the request, which goes out over TLS to `port`; empty elsewhere. */
  secrets: readonly WorkSecret[];
};

/** Whether the policy names a target. Pure. */
export function judgeTarget(
  policy: EgressPolicy,
  asked: { host: string; port: number; tunnel: boolean },
): AllowedTarget | RefusalReason {
  const host = normalHost(asked.host);
  const { port } = asked;
  if (!/^[a-z0-9_.:-]{1,253}$/.test(host) || !(port > 0 && port < 65_536)) return 'malformed';
  const readOnlyOrigin = policy.readOnlyOrigins.find((text) => isOriginOf(text, host, port));
  const granted = secretsFor(policy, host, port);
  if (granted !== null && !asked.tunnel) {
    return { host, readOnlyOrigin: readOnlyOrigin ?? null, ...granted };
  }
  if (host === RUNNER_ALIAS) {
    const loopback = ['127.0.0.1', 'localhost', '[::1]'].find((name) =>
      matchesHostRule(policy.hosts, name, port),
    );
    if (loopback === undefined) return 'host_not_allowed';
    return { host: normalHost(loopback), port, readOnlyOrigin: null, secrets: [] };
  }
  if (matchesHostRule(policy.hosts, host, port))
    return { host, port, readOnlyOrigin: null, secrets: [] };
  if (granted !== null) return 'secret_host';
  if (readOnlyOrigin === undefined) return 'host_not_allowed';
  return asked.tunnel ? 'read_only_host' : { host, port, readOnlyOrigin, secrets: [] };
}

/** Where TLS of a secret's host is spoken: `host` or `host:port`. */
function secretPort(rule: string): number {
  return Number(/:(\d+)$/.exec(rule.replace(/^\[.*\]/, ''))?.[1] ?? 443);
}

/**
 * Secrets of a target, asked without TLS on port 80 or on the host's own. A host with several ports
 * of its own means the first of them on port 80. Null when there are none.
 */
function secretsFor(
  { secrets }: EgressPolicy,
  host: string,
  port: number,
): { port: number; secrets: WorkSecret[] } | null {
  const named = secrets.flatMap((secret) =>
    secret.hosts
      .filter((rule) => hostOf(rule) === host)
      .map((rule) => ({ secret, port: secretPort(rule) })),
  );
  const wanted = named.find((one) => one.port === port) ?? (port === 80 ? named[0] : undefined);
  if (wanted === undefined) return null;
  const same = named.filter((one) => one.port === wanted.port);
  return { port: wanted.port, secrets: same.map(({ secret }) => secret) };
}

function hostOf(rule: string): string {
  return normalHost(rule.replace(/:\d+$/, ''));
}

/** Asked without TLS on port 80 or on the origin's own: both mean the origin. */
function isOriginOf(origin: string, host: string, port: number): boolean {
  const url = new URL(origin);
  const own = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return normalHost(url.hostname) === host && (port === own || port === 80);
}

/** Whether a request to a code host only reads: git's fetch protocol, and plain GET. */
export function onlyReads(method: string, path: string): boolean {
  const [name = '', query = ''] = path.split('?', 2);
  if (/receive-pack/.test(name) || /receive-pack/.test(query)) return false;
  return (
    method === 'GET' ||
    method === 'HEAD' ||
    (method === 'POST' && name.endsWith('/git-upload-pack'))
  );
}
