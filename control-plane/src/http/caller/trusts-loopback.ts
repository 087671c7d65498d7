type Variables = Readonly<Record<string, string | undefined>>;

const TRUST_LOOPBACK = 'SERVICE_TRUST_LOOPBACK';
const TRUST_PROXY = 'SERVICE_TRUST_PROXY';
/** Each says that others than the people at this machine can reach the service. */
const REACHED_BY_OTHERS = ['SERVICE_READ_TOKEN', 'SERVICE_PUBLIC_ORIGIN'] as const;
const MAX_HOPS = 16;

/**
 * Whether a loopback connection alone proves that a caller is at this machine. It does not once the
 * environment says that others reach the service: a proxy or forwarder connects from here too.
 * Throws for a setting that cannot be read.
 */
export function trustsLoopback(variables: Variables): boolean {
  const said = variables[TRUST_LOOPBACK] ?? '';
  if (!['', '0', '1'].includes(said)) {
    throw new Error(`${TRUST_LOOPBACK} must be 0 or 1, not ${JSON.stringify(said)}`);
  }
  if (said === '0' || proxyHops(variables) > 0) return false;
  return REACHED_BY_OTHERS.every((name) => (variables[name] ?? '') === '');
}

/** Own proxies in front, `SERVICE_TRUST_PROXY`. Throws when it is no such number. */
export function proxyHops(variables: Variables): number {
  const said = (variables[TRUST_PROXY] ?? '').trim();
  const hops = said === '' ? 0 : Number(said);
  if (!Number.isInteger(hops) || hops < 0 || hops > MAX_HOPS) {
    throw new Error(
      `${TRUST_PROXY} must be a whole number from 0 to ${MAX_HOPS}: proxies in front`,
    );
  }
  return hops;
}
