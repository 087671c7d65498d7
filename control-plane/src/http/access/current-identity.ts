import { IdentityProxy } from './identity-proxy.ts';
import type { Clock, Logger } from '../../ports/ports.ts';
import { type IdentityVerifier, createIdentityVerifier } from './identity-verifier.ts';

const VARIABLES = {
  issuer: 'SERVICE_IDENTITY_ISSUER',
  audience: 'SERVICE_IDENTITY_AUDIENCE',
  jwksUrl: 'SERVICE_IDENTITY_JWKS_URL',
  header: 'SERVICE_IDENTITY_HEADER',
  scope: 'SERVICE_IDENTITY_SCOPE',
} as const;

/**
 * The identity proxy from the environment; null when it names none. Throws with the name of a
 * missing or unusable variable, because half a configuration must not open access.
 */
export function identityFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): IdentityProxy | null {
  const given = Object.entries(VARIABLES).flatMap(([key, name]) => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [[key, value] as const];
  });
  if (given.length === 0) return null;
  const parsed = IdentityProxy.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = String(issue?.path[0] ?? 'issuer') as keyof typeof VARIABLES;
  throw new Error(`${VARIABLES[key]}: ${issue?.message ?? 'is not acceptable'}`);
}

/**
 * The verifier for the present identity proxy, rebuilt only when the settings change. Settings from
 * the environment cannot be overridden.
 */
export function currentIdentity(
  ports: { clock: Clock; logger: Logger },
  fromEnvironment: IdentityProxy | null,
  configured: () => IdentityProxy | undefined,
): () => IdentityVerifier | null {
  let made: { settings: string; verifier: IdentityVerifier } | null = null;
  return () => {
    const proxy = fromEnvironment ?? configured();
    if (proxy === undefined) return null;
    const settings = JSON.stringify(proxy);
    if (made?.settings !== settings) {
      made = { settings, verifier: createIdentityVerifier(ports, proxy) };
    }
    return made.verifier;
  };
}
