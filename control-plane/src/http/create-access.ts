import type { Clock, Logger } from '../ports.ts';
import type { IdentityProxy } from './identity-proxy-settings.ts';
import { currentIdentity } from './identity-settings.ts';
import type { HttpPolicy } from './install-middleware.ts';
import type { RateLimits } from './rate-limit.ts';
import { sessionSecret } from './session-secret.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { environmentTokens } from './tokens.ts';

/** What of the configuration says who may come in, and how often. */
type AccessConfig = {
  load(): Promise<{ limits: RateLimits }>;
  latest(): { auth: { identity?: IdentityProxy | undefined } };
};

/** Who may do what: tokens of the environment, the sessions made with them, the identity proxy. */
export async function createAccess(
  { clock, logger, config }: { clock: Clock; logger: Logger; config: AccessConfig },
  given: {
    variables: Readonly<Record<string, string | undefined>>;
    /** As the environment names it; null when it names none. */
    identity: IdentityProxy | null;
  },
): Promise<{ sessions: Sessions; policy: HttpPolicy }> {
  const tokens = {
    writeToken: given.variables['SERVICE_WRITE_TOKEN'],
    readToken: given.variables['SERVICE_READ_TOKEN'],
  };
  const sessions = createSessions(clock, await sessionSecret(tokens));
  return {
    sessions,
    policy: {
      tokens: environmentTokens(tokens),
      sessionPrincipal: (c) => sessions.principal(c),
      allowedHosts: [],
      limits: async () => (await config.load()).limits,
      identity: currentIdentity(
        { clock, logger },
        given.identity,
        () => config.latest().auth.identity,
      ),
    },
  };
}
