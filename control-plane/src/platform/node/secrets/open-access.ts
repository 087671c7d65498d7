import type { Deps } from '../../../deps.ts';
import { type AccessParts, createAccess } from '../../../http/create-access.ts';
import type { IdentityProxy } from '../../../http/access/identity-proxy.ts';
import { createSessionSecret } from '../../../config/secrets/session-secret.ts';
import { readLocalSecret } from './local-secret.ts';
import { signInUrl } from '../sign-in-url.ts';

/** Who may do what here, with the local secret of the data folder. */
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

/** Where a browser on this machine begins: with a one-time code in it where it must sign in. */
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
