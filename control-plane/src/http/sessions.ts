import type { Context } from 'hono';
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import type { Clock } from '../ports.ts';
import { isOwnPage } from './local-caller.ts';
import type { Principal } from './tokens.ts';

const COOKIE = 'switchyard_session';
const LIFETIME_MS = 7 * 86_400_000;

/** Signed cookies for the dashboard: the browser holds who it is and until when, and no token. */
export interface Sessions {
  /** Sets the cookie; returns when it ends, epoch milliseconds. */
  begin(c: Context, principal: Principal): Promise<number>;
  /** Who the cookie stands for; null without a valid one, or on another site's page. */
  principal(c: Context): Promise<Principal | null>;
  end(c: Context): void;
}

/**
 * @param secret signs cookies; made of the tokens, so that a changed token ends every session.
 * Without one there are no sessions.
 */
export function createSessions(clock: Clock, secret: string | null): Sessions {
  return {
    async begin(c, principal) {
      const endsAtMs = clock.nowMs() + LIFETIME_MS;
      const value = JSON.stringify({ ...principal, endsAtMs });
      if (secret === null) throw new Error('sessions need a secret');
      await setSignedCookie(c, COOKIE, value, secret, {
        path: '/',
        httpOnly: true,
        sameSite: 'Strict',
        secure: isHttps(c),
        maxAge: LIFETIME_MS / 1_000,
      });
      return endsAtMs;
    },
    async principal(c) {
      if (secret === null || !isOwnPage(c.req.raw)) return null;
      const value = await getSignedCookie(c, secret, COOKIE);
      return typeof value === 'string' ? readSession(value, clock.nowMs()) : null;
    },
    end: (c) => void deleteCookie(c, COOKIE, { path: '/' }),
  };
}

function readSession(value: string, nowMs: number): Principal | null {
  // The signature held, so this is what `begin` wrote.
  const session = JSON.parse(value) as Principal & { endsAtMs: number };
  const { endsAtMs, ...principal } = session;
  return endsAtMs > nowMs ? principal : null;
}

function isHttps(c: Context): boolean {
  const forwarded = c.req.header('X-Forwarded-Proto')?.split(',')[0]?.trim();
  return new URL(c.req.url).protocol === 'https:' || forwarded === 'https';
}
