import { and, inArray, type SQL } from 'drizzle-orm';
import { attempts } from '../db/schema/work/attempts.ts';

/**
 * Condition that an attempt is still queued or running, and that `onlyIf` holds. Steps that end or
 * requeue an attempt use it.
 */
export function isLive(onlyIf?: SQL): SQL | undefined {
  return and(inArray(attempts.status, ['queued', 'running']), onlyIf);
}
