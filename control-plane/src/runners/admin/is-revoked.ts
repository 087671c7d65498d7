import type { Database } from '../../db/database.ts';
import { runnerById } from '../queries.ts';

/** A runner's socket is looked at again this often at least, by whoever holds it. */
export const STANDING_CHECK_MS = 15_000;
/** Ends the socket of a runner that was revoked. */
export const CLOSE_REVOKED = { code: 4403, reason: 'revoked' };

/** Whether a runner's identity has ended, perhaps by another instance. */
export async function isRevoked(db: Database, runnerId: string): Promise<boolean> {
  const runner = await runnerById(db, runnerId);
  return runner === null || runner.revoked_at_ms !== null;
}
