import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { IdentityProxy } from './identity-proxy.ts';
import { AppError } from '../../errors.ts';
import type { Clock, Logger } from '../../ports/ports.ts';
import type { Principal } from '../caller/environment-tokens.ts';

const KEYS_TIMEOUT_MS = 5_000;
/** Shortest interval between two requests for keys, whatever tokens name. */
const KEYS_COOLDOWN_MS = 30_000;
const KEYS_MAX_AGE_MS = 600_000;
const CLOCK_TOLERANCE_SECONDS = 30;
const MAX_TOKEN_CHARACTERS = 16_384;
const MAX_EMAIL_CHARACTERS = 320;
/** Signatures with public keys only: with a shared secret this service could sign for the proxy. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
];

/** Verifies the tokens of a proxy that signs people in. */
export type IdentityVerifier = {
  /** Name of the header with the proxy's token. */
  header: string;
  /** Scope of the people whom the proxy signs in. */
  scope: Principal['scope'];
  /**
   * The person of a token. Throws a 401 for any invalid token, and while the keys are unreachable.
   */
  verify(token: string): Promise<Principal>;
};

/**
 * Verifies tokens of one identity proxy; its keys are fetched on demand and cached for 10 minutes.
 */
export function createIdentityVerifier(
  { clock, logger }: { clock: Clock; logger: Logger },
  proxy: IdentityProxy,
): IdentityVerifier {
  const keys = createRemoteJWKSet(new URL(proxy.jwksUrl), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    cacheMaxAge: KEYS_MAX_AGE_MS,
  });
  const options = {
    issuer: proxy.issuer,
    audience: proxy.audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp', 'email'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  };
  return {
    header: proxy.header,
    scope: proxy.scope,
    async verify(token) {
      if (token.length > MAX_TOKEN_CHARACTERS) throw refused('it is too long');
      const currentDate = new Date(clock.nowMs());
      const payload = await jwtVerify(token, keys, { ...options, currentDate }).then(
        (verified) => verified.payload,
        (error: unknown) => {
          const code = codeOf(error);
          logger.warn("an identity proxy's token was refused", { code });
          throw refused(code);
        },
      );
      return { name: emailOf(payload), scope: proxy.scope };
    },
  };
}

function emailOf(payload: Record<string, unknown>): string {
  const { email, email_verified: isVerified } = payload;
  const isUsable =
    typeof email === 'string' && /^[^\s\p{Cc}\p{Cf}@]+@[^\s\p{Cc}\p{Cf}@]+$/u.test(email);
  if (!isUsable || email.length > MAX_EMAIL_CHARACTERS) throw refused('it names no e-mail address');
  if (isVerified === false) throw refused('its e-mail address is not verified');
  return email;
}

function refused(why: string): AppError {
  return new AppError('unauthorized', `the identity token is not acceptable: ${why}`, {
    reason: 'invalid_identity',
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** The library's error code; never the token or its content. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : 'its keys are out of reach';
}
