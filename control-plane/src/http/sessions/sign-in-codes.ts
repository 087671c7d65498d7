import type { Clock, Ids } from '../../ports/ports.ts';
import { sha256Hex } from '../../sha256-hex.ts';

export const CODE_LIFETIME_MS = 300_000;
/** Codes that may wait at once; the oldest is dropped before the next. */
const MAX_CODES = 20;

/** Codes that let one browser on this machine sign in once. */
export interface SignInCodes {
  make(): Promise<{ code: string; expiresAtMs: number }>;
  /** Whether the code was made here, is unused and not too old; afterwards it is used. */
  redeem(code: string): Promise<boolean>;
}

/** Keeps digests in memory only: a restart ends every code, which lives for minutes anyway. */
export function createSignInCodes({ clock, ids }: { clock: Clock; ids: Ids }): SignInCodes {
  const expiries = new Map<string, number>();
  return {
    async make() {
      const code = ids.secret();
      const digest = await sha256Hex(code);
      const [oldest] = expiries.keys();
      if (expiries.size >= MAX_CODES && oldest !== undefined) expiries.delete(oldest);
      const expiresAtMs = clock.nowMs() + CODE_LIFETIME_MS;
      expiries.set(digest, expiresAtMs);
      return { code, expiresAtMs };
    },
    async redeem(code) {
      const digest = await sha256Hex(code);
      const expiresAtMs = expiries.get(digest);
      // Looked up and deleted in one go: of two that redeem at the same time one wins.
      if (!expiries.delete(digest) || expiresAtMs === undefined) return false;
      return clock.nowMs() < expiresAtMs;
    },
  };
}
