import type { Deps } from '../../../deps.ts';
import { type AccessParts, createAccess } from '../../../http/create-access.ts';
import type { IdentityProxy } from '../../../http/access/identity-proxy.ts';
import { createSessionSecret } from '../../../config/secrets/session-secret.ts';
import { readLocalSecret } from './local-secret.ts';
import { signInUrl } from '../sign-in-url.ts';

/** Builds access control with the data folder's local secret. */
export async function openAccess(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'logger' | 'config' | 'masterKeys'>,
  given: {
    env: Readonly<Record<string, string | undefined>>;
    dataDir: string;
    identity: IdentityProxy | null;
  },
): Promise<AccessParts> {
  const access = await createAccess(deps, {
    variables: given.env,
    identity: given.identity,
    sessionSecret: createSessionSecret(deps),
    localSecret: () => Promise.resolve(readLocalSecret(given.dataDir)),
  });
  const allowedHosts = list(given.env['SERVICE_ALLOWED_HOSTS']);
  return { ...access, policy: { ...access.policy, allowedHosts } };
}

/** The address to open in a browser on this machine, with a one-time code if it must sign in. */
export async function openingUrl(
  { policy, codes }: Pick<AccessParts, 'policy' | 'codes'>,
  url: string,
): Promise<string> {
  if (policy.local?.needsSecret() !== true) return url;
  return signInUrl(url, (await codes.make()).code);
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
