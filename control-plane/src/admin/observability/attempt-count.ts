import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { issues } from '../../db/schema/work/issues.ts';

/** The number of attempts of an issue, found by its identifier or by one of its attempts. */
export async function attemptCountOf(
  db: Database,
  given: { identifier?: string; attemptId?: string },
): Promise<{ identifier: string; attemptCount: number } | null> {
  const of =
    given.identifier === undefined
      ? sql`${issues.identifier} = (select ${attempts.identifier} from ${attempts}
          where ${attempts.attempt_id} = ${given.attemptId ?? ''})`
      : eq(issues.identifier, given.identifier);
  const [row] = await db
    .select({ identifier: issues.identifier, attemptCount: issues.attempt_count })
    .from(issues)
    .where(of)
    .limit(1);
  return row ?? null;
}
