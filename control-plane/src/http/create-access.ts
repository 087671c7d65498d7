import type { Clock, Ids, Logger } from '../ports/ports.ts';
import type { IdentityProxy } from './access/identity-proxy.ts';
import { currentIdentity } from './access/current-identity.ts';
import type { HttpPolicy } from './install-middleware.ts';
import { createLocalAccess } from './caller/local-access.ts';
import { proxyHops, trustsLoopback } from './caller/trusts-loopback.ts';
import type { StreamLimits } from './limits/open-streams.ts';
import type { RateLimits } from './limits/rate-limit.ts';
import type { SessionSecret } from './sessions/session-secret.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import { createSignInCodes, type SignInCodes } from './sessions/sign-in-codes.ts';
import { environmentTokens } from './caller/environment-tokens.ts';

/** The settings that decide who has access, and how often. */
type AccessConfig = {
  load(): Promise<{ limits: RateLimits & StreamLimits }>;
  latest(): {
    auth: { identity?: IdentityProxy | undefined };
    webhook: { webhookUrl?: string | undefined };
  };
};

type AccessDeps = { clock: Clock; ids: Ids; logger: Logger; config: AccessConfig };

export type AccessParts = {
  sessions: Sessions;
  sessionSecret: SessionSecret;
  codes: SignInCodes;
  policy: HttpPolicy;
};

/** Builds access control: tokens of the environment, this machine, sessions, the identity proxy. */
export async function createAccess(
  { clock, ids, logger, config }: AccessDeps,
  given: {
    variables: Readonly<Record<string, string | undefined>>;
    /** The identity proxy of the environment; null when it names none. */
    identity: IdentityProxy | null;
    sessionSecret: SessionSecret;
    /** Reads the present local secret; null where no caller can be on this machine. */
    localSecret: (() => Promise<string | null>) | null;
  },
): Promise<AccessParts> {
  const { variables, sessionSecret, localSecret } = given;
  await sessionSecret.ensure();
  const sessions = createSessions(clock, sessionSecret);
  const configured = () => config.latest().auth.identity;
  const identity = currentIdentity({ clock, logger }, given.identity, configured);
  const trusted = trustsLoopback(variables);
  const needsSecret = () => !trusted || identity() !== null;
  return {
    sessions,
    sessionSecret,
    codes: createSignInCodes({ clock, ids }),
    policy: {
      tokens: environmentTokens({
        writeToken: variables['SERVICE_WRITE_TOKEN'],
        readToken: variables['SERVICE_READ_TOKEN'],
      }),
      sessions,
      ...(localSecret === null
        ? {}
        : { local: createLocalAccess({ readSecret: localSecret, needsSecret }) }),
      allowedHosts: [],
      servedHosts: () =>
        [variables['SERVICE_PUBLIC_ORIGIN'], config.latest().webhook.webhookUrl].flatMap(hostOf),
      trustedHops: proxyHops(variables),
      limits: async () => (await config.load()).limits,
      identity,
    },
  };
}

/** The host name of an address; none for a missing or invalid one. */
function hostOf(address: string | undefined): string[] {
  return address !== undefined && URL.canParse(address) ? [new URL(address).hostname] : [];
}
