import type { Database } from '../../db/database.ts';
import { runnerById } from '../queries.ts';

/**
 * Shortest interval between two checks of whether a runner was revoked, made as its socket receives
 * frames or pings.
 */
export const STANDING_CHECK_MS = 15_000;
/** Ends the socket of a runner that was revoked. */
export const CLOSE_REVOKED = { code: 4403, reason: 'revoked' };

/** Whether a runner was revoked, possibly through another instance. */
export async function isRevoked(db: Database, runnerId: string): Promise<boolean> {
  const runner = await runnerById(db, runnerId);
  return runner === null || runner.revoked_at_ms !== null;
}
