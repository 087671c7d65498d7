import { branchNameFor, distinctBranch } from '@switchyard/shared/branch/branch-name-for';
import { min, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { attempts } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { identityOf } from './identity-of.ts';
import { isOfIssue } from './is-of-issue.ts';

/** Limit on rows, each one issue and repository in which the branch name was used. */
const MAX_READ = 500;

type Named = Pick<
  IssueRow,
  'tracker' | 'id' | 'identifier' | 'native_ref' | 'workspace_key' | 'title' | 'branch'
>;

/**
 * The branch of an issue in a repository: its recorded branch, else one named after the issue. If
 * another issue of that repository owns the name, a distinct one is made.
 */
export async function branchOfIssue(
  db: Database,
  issue: Named,
  repositoryUrl: string,
): Promise<string> {
  const branch = issue.branch ?? branchNameFor(issue);
  const holder = await otherHolder(db, issue, { branch, repositoryUrl });
  return holder === null ? branch : distinctBranch(branch, identityOf(issue));
}

/**
 * The identifier of another issue that owns a branch (compared without case); null when there is
 * none. Issues whose specification assigned the branch come first, then the earliest attempt whose
 * runner reported it.
 */
export async function otherHolder(
  db: Database,
  issue: Pick<Named, 'tracker' | 'id' | 'identifier' | 'workspace_key'>,
  { branch, repositoryUrl }: { branch: string; repositoryUrl: string },
): Promise<string | null> {
  const name = branch.toLowerCase();
  const isStored = sql<number>`min(coalesce(lower(json_extract(${attempts.spec}, '$.branch')), '') <> ${name})`;
  const key = sql<string | null>`json_extract(${attempts.spec}, '$.workspaceKey')`;
  const rows = await db
    .select({
      tracker: attempts.tracker,
      id: attempts.issue_id,
      identifier: attempts.identifier,
      repositoryUrl: attempts.repository_url,
      key,
    })
    .from(attempts)
    .where(sql`lower(${attempts.branch}) = ${name}`)
    .groupBy(attempts.tracker, attempts.issue_id, attempts.repository_url, key)
    .orderBy(isStored, min(attempts.queued_at_ms), min(attempts.attempt_id))
    .limit(MAX_READ);
  const repository = repositoryName(repositoryUrl);
  const first = rows.find((row) => repositoryName(row.repositoryUrl) === repository);
  if (first === undefined) return null;
  const isSameId = first.tracker === issue.tracker && first.id === issue.id;
  return isSameId && isOfIssue(first, issue) ? null : first.identifier;
}

/** A repository's comparable name, for urls such as `https://host/a/b` and `git@host:a/b.git`. */
function repositoryName(url: string): string {
  return url
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(/^([^/:]+):(?:\d+\/)?/, '$1/')
    .replaceAll(/\/+/g, '/')
    .replace(/(?:\.git)?\/?$/, '');
}
