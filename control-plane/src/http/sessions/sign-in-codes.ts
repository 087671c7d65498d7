import type { Clock, Ids } from '../../ports/ports.ts';
import { sha256Hex } from '../../sha256-hex.ts';

export const CODE_LIFETIME_MS = 300_000;
/** Unused codes at once; beyond this the oldest is dropped. */
const MAX_CODES = 20;

/** One-time codes that sign in one browser on this machine. */
export interface SignInCodes {
  make(): Promise<{ code: string; expiresAtMs: number }>;
  /** Whether the code is valid, unused and not expired; it is used up afterwards. */
  redeem(code: string): Promise<boolean>;
}

/** Keeps digests in memory only: a restart ends every code, which lives only for minutes. */
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
      // Checked and deleted in one step, so that only one of two concurrent requests succeeds.
      if (!expiries.delete(digest) || expiresAtMs === undefined) return false;
      return clock.nowMs() < expiresAtMs;
    },
  };
}
