import { MAX_OWN_COMMITS } from '@switchyard/shared/protocol/limits';
import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import { checkpoints } from '../../db/schema/work/checkpoints.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';

/**
 * Commits that an issue's attempts have made on any runner, newest of each kind first. Moving its
 * branch on from one of them loses nobody's work. `last` is the previous or continuing attempt: a
 * commit that an earlier runner pushed may be named only in its specification.
 */
export async function ownCommits(
  db: Database,
  { tracker, id }: Pick<IssueRow, 'tracker' | 'id'>,
  last: Pick<AttemptRow, 'spec'> | null,
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
  const kinds = [made, kept].map((rows) => rows.flatMap(({ commitSha }) => commitSha ?? []));
  return newestOfEach([...kinds, last?.spec.ownCommits ?? []]);
}

/**
 * Interleaves the lists up to the limit of the protocol, so that a long list does not displace a
 * short one.
 */
function newestOfEach(lists: readonly (readonly string[])[]): string[] {
  const found = new Set<string>();
  for (let at = 0; at < MAX_OWN_COMMITS; at += 1)
    for (const commit of lists.flatMap((list) => list[at] ?? [])) found.add(commit);
  return [...found].slice(0, MAX_OWN_COMMITS);
}
