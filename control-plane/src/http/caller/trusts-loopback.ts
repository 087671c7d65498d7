type Variables = Readonly<Record<string, string | undefined>>;

const TRUST_LOOPBACK = 'SERVICE_TRUST_LOOPBACK';
const TRUST_PROXY = 'SERVICE_TRUST_PROXY';
/** Each of these variables means that other machines can reach the service. */
const REACHED_BY_OTHERS = ['SERVICE_READ_TOKEN', 'SERVICE_PUBLIC_ORIGIN'] as const;
const MAX_HOPS = 16;

/**
 * Whether a loopback connection alone proves that a caller is on this machine. It does not if the
 * environment says that others reach the service, because a proxy connects from this machine as
 * well. Throws for an invalid setting.
 */
export function trustsLoopback(variables: Variables): boolean {
  const setting = variables[TRUST_LOOPBACK] ?? '';
  if (!['', '0', '1'].includes(setting)) {
    throw new Error(`${TRUST_LOOPBACK} must be 0 or 1, not ${JSON.stringify(setting)}`);
  }
  if (setting === '0' || proxyHops(variables) > 0) return false;
  return REACHED_BY_OTHERS.every((name) => (variables[name] ?? '') === '');
}

/** Number of own proxies in front, `SERVICE_TRUST_PROXY`. Throws when it is invalid. */
export function proxyHops(variables: Variables): number {
  const setting = (variables[TRUST_PROXY] ?? '').trim();
  const hops = setting === '' ? 0 : Number(setting);
  if (!Number.isInteger(hops) || hops < 0 || hops > MAX_HOPS) {
    throw new Error(
      `${TRUST_PROXY} must be a whole number from 0 to ${MAX_HOPS}: proxies in front`,
    );
  }
  return hops;
}
