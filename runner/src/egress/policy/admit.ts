import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressKind } from './address-kind.ts';
import type { AllowedTarget, EgressPolicy, RefusalReason } from './egress-policy.ts';
import { judgeTarget } from './egress-policy.ts';
import type { HeldSecret } from '../attach-secrets.ts';
import type { EgressEntry, EgressLog } from './egress-log.ts';
import { matchesHostRule } from './host-rule.ts';

const RESOLVE_TIMEOUT_MS = 10_000;
/** Concurrent tunnels and requests of one attempt. */
const MAX_ACTIVE_EGRESS = 64;

export type Address = { address: string; family: number };
/** Resolves a name to all its addresses; rejects when there is none. */
export type Resolve = (host: string) => Promise<Address[]>;

/** The proxy's state of one attempt's network access. */
export type EgressState = {
  policy: EgressPolicy;
  /** Values of the policy's secrets by name; in memory only. */
  values: Readonly<Record<string, string>>;
  log: EgressLog;
  active: number;
};

export type Admitted = {
  target: AllowedTarget;
  addresses: Address[];
  entry: EgressEntry;
  secrets: HeldSecret[];
};

/** Names are resolved only by the proxy, and only if the policy contains them. */
export const resolveByHost: Resolve = (host) => lookup(host, { all: true });

/**
 * Checks one request by name, then by every address of the name, and logs the verdict. An admitted
 * one counts as active until the caller removes it.
 */
export async function admit(
  state: EgressState,
  asked: { host: string; port: number; tunnel: boolean },
  resolve: Resolve,
): Promise<Admitted | RefusalReason> {
  const { policy, log } = state;
  const refuse = (reason: RefusalReason): RefusalReason => {
    log.note(asked.host, asked.port, reason);
    return reason;
  };
  const target = judgeTarget(policy, asked);
  if (typeof target === 'string') return refuse(target);
  if (log.bytes >= policy.maxBytes) return refuse('byte_limit');
  if (state.active >= MAX_ACTIVE_EGRESS) return refuse('too_many_connections');
  // Counted before the name is resolved, because any number could wait for that.
  state.active += 1;
  const addresses = await addressesOf(target.host, resolve).catch(() => []);
  const judged = judgeAddresses(state, target, addresses);
  if (typeof judged !== 'string') return judged;
  state.active -= 1;
  return refuse(judged);
}

function judgeAddresses(
  state: EgressState,
  target: AllowedTarget,
  addresses: Address[],
): Admitted | RefusalReason {
  const { host, port } = target;
  if (addresses.length === 0) return 'unknown_host';
  const refused = addresses.map(({ address }) => addressRefusal(state.policy, host, port, address));
  const reason = refused.find((one) => one !== null);
  if (reason != null) return reason;
  const secrets = held(state, target);
  if (secrets.length < target.secrets.length) return 'secret_missing';
  const names = secrets.map(({ name }) => name);
  return { target, addresses, entry: state.log.note(host, port, null, names), secrets };
}

function held({ values }: EgressState, target: AllowedTarget): HeldSecret[] {
  return target.secrets.flatMap((secret) => {
    const value = Object.hasOwn(values, secret.name) ? values[secret.name] : undefined;
    return value === undefined ? [] : [{ ...secret, value }];
  });
}

async function addressesOf(host: string, resolve: Resolve): Promise<Address[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), RESOLVE_TIMEOUT_MS);
  });
  return Promise.race([resolve(host), late]).finally(() => clearTimeout(timer));
}

/** A metadata address must be listed itself; a name that resolves to it is not enough. */
export function addressRefusal(
  { privateHosts }: { privateHosts: readonly string[] },
  host: string,
  port: number,
  address: string,
): RefusalReason | null {
  const kind = addressKind(address);
  if (kind === 'public') return null;
  const listed = matchesHostRule(privateHosts, address, port);
  if (kind === 'metadata') return listed ? null : 'metadata_address';
  return listed || matchesHostRule(privateHosts, host, port) ? null : 'private_address';
}
