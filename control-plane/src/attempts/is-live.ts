import { and, inArray, type SQL } from 'drizzle-orm';
import { attempts } from '../db/schema/work/attempts.ts';

/**
 * Condition that an attempt is still queued or running, and that `onlyIf` holds. Every change that
 * takes an attempt away from its lease must use it.
 */
export function isLive(onlyIf?: SQL): SQL | undefined {
  return and(inArray(attempts.status, ['queued', 'running']), onlyIf);
}
