import { distinctKey, workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import { and, ne, or, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { identityOf } from './identity-of.ts';

type Keyed = Pick<IssueRow, 'tracker' | 'id' | 'identifier' | 'native_ref' | 'workspace_key'>;

/**
 * What an issue's folders, sessions and hidden ref are named after, on every runner: what it had
 * before, else what its identifier makes, unless another issue has that, whatever the case: folders
 * and refs of some file systems differ in more than case.
 */
export async function keyOfIssue(db: Database, issue: Keyed): Promise<string> {
  if (issue.workspace_key !== null) return issue.workspace_key;
  const key = workspaceKey(issue.identifier);
  const [holder] = await db
    .select({ id: issues.id })
    .from(issues)
    .where(
      and(
        sql`lower(${issues.workspace_key}) = ${key.toLowerCase()}`,
        or(ne(issues.tracker, issue.tracker), ne(issues.id, issue.id)),
      ),
    )
    .limit(1);
  return holder === undefined ? key : distinctKey(key, identityOf(issue));
}
