import { and, eq, inArray, isNull, not, or, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { treeIds } from '../../db/rows/tree-ids.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';
import { isEnded, type Trackers } from '../list/needs-person.ts';
import { briefColumns, IS_RELATED } from '../queries.ts';

const hasOpenPart = sql`exists (select 1 from json_each(${issues.sub_issues}) part
  where not (part.value ->> '$.terminal'))`;

/**
 * Issues to which their sub-issues make a difference now: those that waited for sub-issues of which
 * the last has ended, and those whose reason does not say yet that they wait.
 */
export async function parentsToUpdate(
  db: Database,
  trackers: Trackers,
  limit: number,
): Promise<IssueRow[]> {
  const isWaiting = and(eq(issues.status, 'idle'), eq(issues.reason_code, 'sub_issues_open'));
  const isToWait = or(
    and(eq(issues.status, 'idle'), sql`${issues.reason_code} is not 'sub_issues_open'`),
    and(eq(issues.status, 'blocked'), eq(issues.reason_code, 'sub_issues_canceled')),
  );
  return db
    .select()
    .from(issues)
    .where(
      and(
        inArray(issues.tracker, [...trackers.keys()]),
        IS_RELATED,
        sql`${issues.sub_issues} <> '[]'`,
        isNull(issues.pull_request_url),
        or(and(isWaiting, not(hasOpenPart)), and(isToWait, hasOpenPart)),
        sql`not ${isEnded(trackers)}`,
      ),
    )
    .limit(limit);
}

/** Whether a pull request of an issue's work is open. */
export async function hasOpenPullRequest(
  db: Database,
  { tracker, id }: Pick<IssueRow, 'tracker' | 'id'>,
): Promise<boolean> {
  const rows = await db
    .select({ id: pullRequests.id })
    .from(pullRequests)
    .innerJoin(attempts, eq(attempts.attempt_id, pullRequests.attempt_id))
    .where(
      and(
        eq(attempts.tracker, tracker),
        eq(attempts.issue_id, id),
        eq(pullRequests.status, 'open'),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** An issue of a tree, and the levels between it and the topmost one. */
type Placed = { issue: IssueRow; depth: number };

/**
 * Issues of the tree that an issue belongs to, as far as they are recorded, with the columns of
 * lists and in no order; at most `limit`.
 */
export async function issuesOfTree(
  db: Database,
  issue: Pick<IssueRow, 'tracker' | 'id'>,
  limit: number,
): Promise<Placed[]> {
  const placed = await db.all<{ id: string; depth: number }>(
    sql`select * from (${treeIds(issue)}) order by depth limit ${limit}`,
  );
  const rows = await db
    .select(briefColumns)
    .from(issues)
    .where(
      and(
        eq(issues.tracker, issue.tracker),
        inArray(
          issues.id,
          placed.map((one) => one.id),
        ),
      ),
    );
  const depths = new Map(placed.map((one) => [one.id, one.depth]));
  return rows.map((row) => ({ issue: row, depth: depths.get(row.id) ?? 0 }));
}
