import { kindsThat } from '@switchyard/shared/attempts/kind-rules';
import { SCRIPTED_MODEL } from '@switchyard/shared/model-providers/scripted-model';
import { and, desc, eq, getTableColumns, gt, inArray, max, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type AttemptRow, attempts } from '../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../db/schema/work/issues.ts';
import { pullRequests } from '../db/schema/work/pull-requests.ts';
import { AppError } from '../errors.ts';

/** Excludes attempts of a trial's scripted model; written exactly as in the index. */
const isOfModel = sql`${attempts.model} is not ${sql.raw(`'${SCRIPTED_MODEL}'`)}`;
/** Attempts in which an agent of a real model ran. */
export const isAgentRun = sql`${isOfModel} and ${inArray(attempts.kind, kindsThat('hasAgent'))}`;

export async function attemptById(db: Database, attemptId: string): Promise<AttemptRow | null> {
  const rows = await db.select().from(attempts).where(eq(attempts.attempt_id, attemptId)).limit(1);
  return rows[0] ?? null;
}

/** The attempt with this id; throws a 404 when there is none. */
export async function requireAttempt(db: Database, attemptId: string): Promise<AttemptRow> {
  const row = await attemptById(db, attemptId);
  if (row === null) throw new AppError('not_found', `attempt ${attemptId} not found`);
  return row;
}

/** The current or last attempt of an issue; null before the first one. */
export async function currentAttempt(
  db: Database,
  issue: Pick<IssueRow, 'current_attempt_id'>,
): Promise<AttemptRow | null> {
  return issue.current_attempt_id === null ? null : attemptById(db, issue.current_attempt_id);
}

/** The newest attempt of an issue that had this thread; null when none is stored. */
export async function attemptOfThread(
  db: Database,
  issue: Pick<IssueRow, 'tracker' | 'id'>,
  threadId: string,
): Promise<AttemptRow | null> {
  const rows = await db
    .select()
    .from(attempts)
    .where(
      and(
        eq(attempts.thread_id, threadId),
        eq(attempts.tracker, issue.tracker),
        eq(attempts.issue_id, issue.id),
      ),
    )
    .orderBy(desc(attempts.queued_at_ms))
    .limit(1);
  return rows[0] ?? null;
}

/** How much of a pull request's work a trial's scripted model did; null: none. */
export type TrialShare = 'whole' | 'part' | null;

/**
 * The trial share of an issue's attempts since its last merge, whose work its next pull request
 * contains. Attempts of real models count once they have used tokens.
 */
export async function trialShare(
  db: Database,
  issue: Pick<IssueRow, 'tracker' | 'id'>,
): Promise<TrialShare> {
  const isScripted = sql<number>`coalesce(${attempts.model}, '') = ${SCRIPTED_MODEL}`;
  const ofIssue = and(eq(attempts.tracker, issue.tracker), eq(attempts.issue_id, issue.id));
  const merged = db
    .select({ number: sql`coalesce(max(${attempts.number}), 0)` })
    .from(attempts)
    .innerJoin(
      pullRequests,
      and(
        eq(pullRequests.attempt_id, attempts.attempt_id),
        eq(pullRequests.issue_identifier, attempts.identifier),
      ),
    )
    .where(and(ofIssue, eq(pullRequests.status, 'merged')));
  const rows = await db
    .select({ isScripted })
    .from(attempts)
    .where(
      and(
        ofIssue,
        gt(attempts.number, merged),
        sql`(${isScripted} or json_extract(${attempts.tokens}, '$.total') > 0)`,
      ),
    )
    .groupBy(isScripted);
  if (!rows.some((row) => row.isScripted === 1)) return null;
  return rows.length === 1 ? 'whole' : 'part';
}

/** An attempt together with its issue, in one read. */
export async function attemptWithIssue(
  db: Database,
  attemptId: string,
): Promise<{ attempt: AttemptRow; issue: IssueRow } | null> {
  const rows = await db
    .select({ attempt: attempts, issue: issues })
    .from(attempts)
    .innerJoin(issues, and(eq(issues.tracker, attempts.tracker), eq(issues.id, attempts.issue_id)))
    .where(eq(attempts.attempt_id, attemptId))
    .limit(1);
  return rows[0] ?? null;
}

const { spec: _spec, digest: _digest, ...shown } = getTableColumns(attempts);
/**
 * All columns of an attempt except those only for its runner: the prompts make up most of a row.
 */
export const shownColumns = shown;
export type ShownAttempt = Omit<AttemptRow, 'spec' | 'digest'>;

const shownText = sql.raw(
  Object.values(shownColumns)
    .map(({ name }) => `quote("${name}")`)
    .join(`||','||`),
);

/**
 * Everything that `issueWithAttempts` reads, as one row of text and numbers to compare; null for an
 * unknown issue. Much cheaper than reading the rows.
 */
export async function issueFingerprintRow(
  db: Database,
  identifier: string,
): Promise<{ tracker: string } | null> {
  const [row] = await db.all<{ tracker: string }>(sql`select issues.*, (
      select group_concat(shown) from (select ${shownText} as shown from attempts
        where tracker = issues.tracker and issue_id = issues.id order by number)
    ) as attempts, (
      select group_concat(kind || status || tries || due_at_ms || coalesce(last_error, '')) from (
        select * from jobs where jobs.issue_id = issues.id and jobs.tracker = issues.tracker
          and kind like 'tracker.%' order by created_at_ms)
    ) as changes, (
      select max(entry) from transitions where identifier = issues.identifier
    ) as move from issues where identifier = ${identifier}`);
  return row ?? null;
}

/** The issue with its attempts, newest first, read at one moment in one batch. */
export async function issueWithAttempts(
  db: Database,
  identifier: string,
  limit: number,
): Promise<{ issue: IssueRow; attempts: ShownAttempt[] } | null> {
  const issue = db.select().from(issues).where(eq(issues.identifier, identifier)).limit(1);
  const key = (column: typeof issues.id | typeof issues.tracker) =>
    db.select({ column }).from(issues).where(eq(issues.identifier, identifier));
  const [found, rows] = await db.batch([
    issue,
    db
      .select(shownColumns)
      .from(attempts)
      .where(and(eq(attempts.tracker, key(issues.tracker)), eq(attempts.issue_id, key(issues.id))))
      .orderBy(desc(attempts.number))
      .limit(limit),
  ]);
  return found[0] === undefined ? null : { issue: found[0], attempts: rows };
}

/** Attempts of an issue, newest first. */
export async function attemptsOfIssue(
  db: Database,
  issue: Pick<IssueRow, 'tracker' | 'id'>,
  limit: number,
): Promise<ShownAttempt[]> {
  return db
    .select(shownColumns)
    .from(attempts)
    .where(and(eq(attempts.tracker, issue.tracker), eq(attempts.issue_id, issue.id)))
    .orderBy(desc(attempts.number))
    .limit(limit);
}

/** Attempts that are queued or running. */
export async function liveAttempts(db: Database): Promise<ShownAttempt[]> {
  return db
    .select(shownColumns)
    .from(attempts)
    .where(inArray(attempts.status, ['queued', 'running']));
}

/** When an attempt of a real model last completed, epoch milliseconds; null when none has. */
export async function lastCompletedAtMs(db: Database): Promise<number | null> {
  const [row] = await db
    .select({ atMs: max(attempts.ended_at_ms) })
    .from(attempts)
    .where(sql`${attempts.outcome} = 'completed' and ${isAgentRun}`);
  return row?.atMs ?? null;
}
