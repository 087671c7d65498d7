import { distinctKey, workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import { and, ne, or, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import { identityOf } from './identity-of.ts';

type Keyed = Pick<IssueRow, 'tracker' | 'id' | 'identifier' | 'native_ref' | 'workspace_key'>;

/**
 * The name of an issue's folders, sessions and hidden ref on every runner: its recorded key, else
 * one made from its identifier. If another issue has that key, compared without case as on some
 * file systems, a distinct one is made.
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
