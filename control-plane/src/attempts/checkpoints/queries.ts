import { kindsThat } from '@switchyard/shared/attempts/kind-rules';
import { type SQL, and, asc, desc, eq, isNotNull, not, or, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { checksFailed } from '../checks/checks-failed.ts';
import { hasKeyOfItsOwn } from '../identity/is-of-issue.ts';
import { type CheckpointRow, checkpoints } from '../../db/schema/work/checkpoints.ts';

const MAX_LISTED = 500;

/** Checkpoints of one attempt over all its leases, oldest first. */
export async function checkpointsOfAttempt(
  db: Database,
  attemptId: string,
): Promise<CheckpointRow[]> {
  return db
    .select()
    .from(checkpoints)
    .where(eq(checkpoints.attempt_id, attemptId))
    .orderBy(asc(checkpoints.epoch), asc(checkpoints.ordinal))
    .limit(MAX_LISTED);
}

type IssueKey = Pick<IssueRow, 'tracker' | 'id' | 'identifier' | 'workspace_key'>;

/**
 * The newest checkpoint of an issue that holds work or a session of a try, with the work of the
 * newest that changed something; null when there is none.
 */
export async function newestCheckpoint(
  db: Database,
  issue: IssueKey,
): Promise<CheckpointRow | null> {
  const isKept = or(isNotNull(checkpoints.commit_sha), isNotNull(checkpoints.session_blob));
  const kind = sql`coalesce((select a.kind from ${attempts} a
    where a.attempt_id = ${checkpoints.attempt_id}), 'work')`;
  const isOfTry = and(isKept, sql`${kind} in ${kindsThat('isTry')}`);
  const isOfReader = sql`${kind} in ${kindsThat('readsOnly')}`;
  const [[newest], [work]] = await db.batch([
    newestThat(db, issue, isOfTry),
    newestThat(db, issue, and(isOfTry, not(isOfReader))),
  ]);
  const { commit_sha = null, base_commit = null } = work ?? {};
  return newest === undefined ? null : { ...newest, commit_sha, base_commit };
}

/** The newest checkpoint of an issue that has a diff; null when there is none. */
export async function newestDiff(db: Database, issue: IssueKey): Promise<CheckpointRow | null> {
  const [newest] = await newestThat(db, issue, isNotNull(checkpoints.diff_blob));
  return newest ?? null;
}

function newestThat(db: Database, issue: IssueKey, holds: SQL | undefined) {
  return db
    .select()
    .from(checkpoints)
    .where(
      and(
        eq(checkpoints.tracker, issue.tracker),
        eq(checkpoints.issue_id, issue.id),
        ofThisOne(issue),
        holds,
      ),
    )
    .orderBy(desc(checkpoints.created_at_ms), desc(checkpoints.ordinal))
    .limit(1);
}

/** As `isOfIssue`, for checkpoints: excludes those of another issue that had the same id before. */
function ofThisOne(issue: IssueKey): SQL | undefined {
  if (!hasKeyOfItsOwn(issue)) return undefined;
  return sql`exists (select 1 from ${attempts} a where a.attempt_id = ${checkpoints.attempt_id}
    and coalesce(json_extract(a.spec, '$.workspaceKey'), a.identifier) = ${issue.workspace_key})`;
}

/**
 * The finished work of an attempt whose runner was lost, if its hidden ref has the commit, so that
 * any runner can push it. Null when the agent was not finished, or only that runner has the commit.
 */
export async function finishedWork(
  db: Database,
  attempt: Pick<AttemptRow, 'attempt_id' | 'epoch' | 'base_branch' | 'spec'>,
): Promise<Pick<AttemptRow, 'commit_sha' | 'base_commit' | 'diff_stat' | 'diff_blob'> | null> {
  // The base branch is recorded once the attempt has a workspace.
  if (attempt.base_branch === null) return null;
  const { attempt_id: attemptId, epoch } = attempt;
  const isOfLease = and(eq(checkpoints.attempt_id, attemptId), eq(checkpoints.epoch, epoch));
  const [found] = await db
    .select()
    .from(checkpoints)
    .where(and(isOfLease, eq(checkpoints.trigger, 'delivering')))
    .orderBy(desc(checkpoints.ordinal))
    .limit(1);
  if (found === undefined || found.commit_sha === null) return null;
  const { commit_sha, base_commit, diff_stat, diff_blob } = found;
  if (diff_stat === null || diff_stat.files === 0) return null;
  const failed = await checksFailed(db, attempt, { epoch, commitSha: commit_sha });
  return failed.length > 0 ? null : { commit_sha, base_commit, diff_stat, diff_blob };
}
