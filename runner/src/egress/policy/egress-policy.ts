import { HostRule } from '@switchyard/shared/sandbox/host-rule';
import { MAX_WORK_SECRETS, WorkSecret } from '@switchyard/shared/sandbox/work-secret';
import * as z from 'zod';
import { matchesHostRule, normalHost } from './host-rule.ts';

/** Host name by which containers reach registries on the runner's loopback. */
export const RUNNER_ALIAS = 'runner.internal';

const MAX_HOSTS = 500;

/** The network policy of one attempt in the proxy. Created by resolve-policy.ts. */
export const EgressPolicy = z.strictObject({
  hosts: z.array(HostRule).max(MAX_HOSTS),
  /** Hosts that may have non-public addresses, as the runner's operator allows. */
  privateHosts: z.array(HostRule).max(MAX_HOSTS),
  /** Origins of code hosts for reading, requested as plain `http://host`: the proxy adds TLS. */
  readOnlyOrigins: z.array(z.url({ protocol: /^https?$/ })).max(10),
  /**
   * Hosts that are requested in the same way and get a secret as a header. The values are stored
   * elsewhere.
   */
  secrets: z.array(WorkSecret).max(MAX_WORK_SECRETS).default([]),
  /** Limit on both directions together. */
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

/** An allowed name and port; addresses are checked after resolution. */
export type AllowedTarget = {
  host: string;
  port: number;
  /** Origin of a read-only code host, with TLS and limited methods; null for other hosts. */
  readOnlyOrigin: string | null;
  /**
   * Secrets that are added to the request, which is sent over TLS to `port`; empty for other hosts.
   */
  secrets: readonly WorkSecret[];
};

/** Whether the policy allows a target. Pure. */
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

/** TLS port of a secret's host, given as `host` or `host:port`. */
function secretPort(rule: string): number {
  return Number(/:(\d+)$/.exec(rule.replace(/^\[.*\]/, ''))?.[1] ?? 443);
}

/**
 * Secrets of a target that is requested without TLS on port 80 or on the host's own port. With
 * several ports, port 80 means the first one. Null when there are none.
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

/** Whether host and port mean an origin, requested without TLS on port 80 or on its own port. */
function isOriginOf(origin: string, host: string, port: number): boolean {
  const url = new URL(origin);
  const own = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return normalHost(url.hostname) === host && (port === own || port === 80);
}

/** Whether a request to a code host only reads: git's fetch protocol, or a plain GET or HEAD. */
export function onlyReads(method: string, path: string): boolean {
  const [name = '', query = ''] = path.split('?', 2);
  if (/receive-pack/.test(name) || /receive-pack/.test(query)) return false;
  return (
    method === 'GET' ||
    method === 'HEAD' ||
    (method === 'POST' && name.endsWith('/git-upload-pack'))
  );
}
