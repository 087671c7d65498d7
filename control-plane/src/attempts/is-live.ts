import { and, inArray, type SQL } from 'drizzle-orm';
import { attempts } from '../db/schema/work/attempts.ts';

/**
 * Condition that holds while an attempt is still queued or running. Whoever takes an attempt away
 * from its lease does so under it; `onlyIf` must hold as well.
 */
export function isLive(onlyIf?: SQL): SQL | undefined {
  return and(inArray(attempts.status, ['queued', 'running']), onlyIf);
}
