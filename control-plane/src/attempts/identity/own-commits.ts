import { MAX_OWN_COMMITS } from '@switchyard/shared/protocol/limits';
import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { checkpoints } from '../../db/schema/work/checkpoints.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/**
 * Commits that an issue's attempts have made, on whichever runner: its branch may be moved from one
 * of them without taking work from anybody. `waiting` is an attempt that goes on, whose former
 * runner may have pushed what only its specification still names.
 */
export async function ownCommits(
  db: Database,
  { tracker, id }: Pick<IssueRow, 'tracker' | 'id'>,
  waiting: Pick<AttemptRow, 'spec'> | null = null,
): Promise<string[]> {
  const [made, kept] = await db.batch([
    db
      .select({ commitSha: attempts.commit_sha })
      .from(attempts)
      .where(
        and(
          eq(attempts.tracker, tracker),
          eq(attempts.issue_id, id),
          isNotNull(attempts.commit_sha),
        ),
      )
      .orderBy(desc(attempts.number))
      .limit(MAX_OWN_COMMITS),
    db
      .select({ commitSha: checkpoints.commit_sha })
      .from(checkpoints)
      .where(
        and(
          eq(checkpoints.tracker, tracker),
          eq(checkpoints.issue_id, id),
          isNotNull(checkpoints.commit_sha),
        ),
      )
      .orderBy(desc(checkpoints.created_at_ms))
      .limit(MAX_OWN_COMMITS),
  ]);
  const read = [...made, ...kept].flatMap(({ commitSha }) => commitSha ?? []);
  const commits = new Set([...(waiting?.spec.ownCommits ?? []), ...read]);
  return [...commits].slice(0, MAX_OWN_COMMITS);
}
