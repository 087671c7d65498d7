import type { Context } from 'hono';
import { deleteCookie, getCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import { toHex } from '@switchyard/shared/text/to-hex';
import type { Clock } from '../../ports/ports.ts';
import { equalInConstantTime } from '../caller/equal-in-constant-time.ts';
import { forwardedScheme, isOwnPage } from '../caller/is-own-page.ts';
import type { SessionSecret } from './session-secret.ts';
import type { Principal } from '../caller/environment-tokens.ts';

const COOKIE = 'switchyard_session';
const LIFETIME_MS = 7 * 86_400_000;

/**
 * Looks up a principal's current credential; null when that principal has lost access, or has none
 * from the caller's address.
 */
export type CredentialOf = (principal: Principal) => Promise<string | null>;

/** Signed cookies for the dashboard: the browser stores who it is and until when, but no token. */
export interface Sessions {
  /** Sets the cookie; returns its expiry, epoch milliseconds. */
  begin(c: Context, principal: Principal, credential: string): Promise<number>;
  /**
   * The principal of the cookie; null without a valid one, when its credential has changed since,
   * or on a page of another site.
   */
  principal(c: Context, credentialOf: CredentialOf): Promise<Principal | null>;
  end(c: Context): void;
}

type Session = Principal & { endsAtMs: number; credential: string };

/**
 * Creates the sessions.
 * @param secret signs the cookies and hashes the credential inside them.
 */
export function createSessions(clock: Clock, secret: SessionSecret): Sessions {
  return {
    async begin(c, principal, credential) {
      const key = await secret.ensure();
      const endsAtMs = clock.nowMs() + LIFETIME_MS;
      const session: Session = {
        ...principal,
        endsAtMs,
        credential: await blinded(key, credential),
      };
      await setSignedCookie(c, COOKIE, JSON.stringify(session), key, {
        path: '/',
        httpOnly: true,
        sameSite: 'Strict',
        secure: isHttps(c),
        maxAge: LIFETIME_MS / 1_000,
      });
      return endsAtMs;
    },
    async principal(c, credentialOf) {
      if (getCookie(c, COOKIE) === undefined || !isOwnPage(c.req.raw)) return null;
      const key = await secret.read();
      const value = key === null ? null : await getSignedCookie(c, key, COOKIE);
      if (key === null || typeof value !== 'string') return null;
      // The signature is valid, so this is what `begin` wrote.
      const { endsAtMs, credential, ...principal } = JSON.parse(value) as Session;
      const leftMs = endsAtMs - clock.nowMs();
      // An expiry later than possible was set under a clock that was ahead.
      if (leftMs <= 0 || leftMs > LIFETIME_MS) return null;
      const now = await credentialOf(principal);
      if (now === null) return null;
      return (await equalInConstantTime(await blinded(key, now), credential)) ? principal : null;
    },
    end: (c) => void deleteCookie(c, COOKIE, { path: '/' }),
  };
}

/** A keyed hash of a credential: it allows comparing and, without the key, reveals nothing else. */
function blinded(key: string, credential: string): Promise<string> {
  return hmacText(key, JSON.stringify(['session credential', credential]));
}

function isHttps(c: Context): boolean {
  const { headers, url } = c.req.raw;
  return new URL(url).protocol === 'https:' || forwardedScheme(headers) === 'https';
}

/** Hex HMAC-SHA256 of a text under a text key. */
async function hmacText(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = encoder.encode(secret);
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(text));
  return toHex(mac);
}
