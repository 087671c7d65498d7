import { HELD_STATUSES, PERSON_CODES } from '@switchyard/shared/reasons/needs-of';
import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  lt,
  or,
  sql,
  isNotNull,
} from 'drizzle-orm';
import { type IssueStatus, MAX_EXCERPT_CHARS } from '@switchyard/shared/api/work/issue';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { type ShownAttempt, shownColumns } from '../attempts/queries.ts';
import { attempts } from '../db/schema/work/attempts.ts';
import { type IssueRow, issues } from '../db/schema/work/issues.ts';
import { type TransitionRow, transitions } from '../db/schema/work/transitions.ts';

export async function issueByIdentifier(
  db: Database,
  identifier: string,
): Promise<IssueRow | null> {
  const rows = await db.select().from(issues).where(eq(issues.identifier, identifier)).limit(1);
  return rows[0] ?? null;
}

/** As `issueByIdentifier`, but throws a 404 when there is no such issue. */
export async function requireIssue(db: Database, identifier: string): Promise<IssueRow> {
  const issue = await issueByIdentifier(db, identifier);
  if (issue === null) throw new AppError('not_found', `issue ${identifier} not found`);
  return issue;
}

export async function issueById(
  db: Database,
  key: { tracker: string; id: string },
): Promise<IssueRow | null> {
  const rows = await db
    .select()
    .from(issues)
    .where(and(eq(issues.tracker, key.tracker), eq(issues.id, key.id)))
    .limit(1);
  return rows[0] ?? null;
}

/** Every recorded issue of a tracker. */
export async function issuesOfTracker(db: Database, tracker: string): Promise<IssueRow[]> {
  return db.select().from(issues).where(eq(issues.tracker, tracker));
}

/** Ids in one `in (…)` list: far below SQLite's limit of 32,766 parameters. */
const IDS_PER_QUERY = 500;

/** Recorded issues of a tracker with these ids, each once. */
export async function issuesByIds(
  db: Database,
  tracker: string,
  ids: readonly string[],
): Promise<IssueRow[]> {
  const found: IssueRow[] = [];
  for (const part of inParts(ids)) {
    const these = and(eq(issues.tracker, tracker), inArray(issues.id, part));
    found.push(...(await db.select().from(issues).where(these)));
  }
  return found;
}

/** Recorded issues of any tracker with these identifiers, each once. */
export async function issuesByIdentifiers(
  db: Database,
  identifiers: readonly string[],
): Promise<IssueRow[]> {
  const found: IssueRow[] = [];
  for (const part of inParts(identifiers))
    found.push(...(await db.select().from(issues).where(inArray(issues.identifier, part))));
  return found;
}

function inParts(names: readonly string[]): string[][] {
  const unique = [...new Set(names)];
  const parts: string[][] = [];
  for (let from = 0; from < unique.length; from += IDS_PER_QUERY)
    parts.push(unique.slice(from, from + IDS_PER_QUERY));
  return parts;
}

/**
 * Live attempts of a tracker, and the ids of issues that a sync must read even if the tracker
 * reports no change: those with a live attempt or a pending retry and, `withBlocked`, those that
 * wait for others.
 */
export async function issuesUnderWay(
  db: Database,
  tracker: string,
  { withBlocked = false }: { withBlocked?: boolean } = {},
): Promise<{ live: ShownAttempt[]; ids: string[] }> {
  const ofTracker = eq(issues.tracker, tracker);
  const [live, retrying, waiting] = await db.batch([
    db
      .select(shownColumns)
      .from(attempts)
      .where(and(inArray(attempts.status, ['queued', 'running']), eq(attempts.tracker, tracker))),
    db
      .select({ id: issues.id })
      .from(issues)
      .where(and(ofTracker, eq(issues.status, 'retrying'))),
    db
      .select({ id: issues.id })
      .from(issues)
      .where(withBlocked ? isBlocked(tracker) : sql`false`),
  ]);
  const ids = [...live.map((row) => row.issue_id), ...[...retrying, ...waiting].map((r) => r.id)];
  return { live, ids: [...new Set(ids)] };
}

/**
 * Issues with blockers or sub-issues that wait for these, or would when one is open again, whether
 * or not these have ended.
 */
export async function blockedIssues(db: Database, tracker: string): Promise<IssueRow[]> {
  return db.select().from(issues).where(isBlocked(tracker));
}

/** As the partial index says it, so that only related issues are read. */
export const IS_RELATED = sql`(${issues.blocked_by} <> '[]' or ${issues.sub_issues} <> '[]')`;

function isBlocked(tracker: string) {
  return and(
    eq(issues.tracker, tracker),
    IS_RELATED,
    or(
      inArray(issues.status, ['idle', 'queued', 'retrying']),
      // One of which all sub-issues were closed waits again for one that is reopened.
      and(eq(issues.status, 'blocked'), eq(issues.reason_code, 'sub_issues_canceled')),
    ),
  );
}

/**
 * All columns of an issue, but of the description only what a list shows and one character more.
 */
export const briefColumns = {
  ...getTableColumns(issues),
  description: sql<string | null>`substr(${issues.description}, 1, ${MAX_EXCERPT_CHARS + 1})`.as(
    'excerpt',
  ),
};

/** Issues in any of these statuses with the columns of lists, most recently changed first. */
export async function issuesByStatus(
  db: Database,
  statuses: IssueStatus[],
  limit: number,
): Promise<IssueRow[]> {
  return db
    .select(briefColumns)
    .from(issues)
    .where(inArray(issues.status, statuses))
    .orderBy(desc(issues.updated_at_ms))
    .limit(limit);
}

/**
 * Issues whose reason calls for a person although they have not stopped, with the columns of lists.
 */
export async function issuesForPerson(db: Database, limit: number): Promise<IssueRow[]> {
  return db
    .select(briefColumns)
    .from(issues)
    .where(
      and(
        isNotNull(issues.reason_code),
        inArray(issues.reason_code, [...PERSON_CODES]),
        inArray(issues.status, [...HELD_STATUSES]),
      ),
    )
    .orderBy(desc(issues.updated_at_ms))
    .limit(limit);
}

export async function countIssuesByStatus(db: Database): Promise<Record<string, number>> {
  const rows = await db
    .select({ status: issues.status, count: sql<number>`count(*)` })
    .from(issues)
    .groupBy(issues.status);
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}

/** The issues that changed last in their tracker. */
export async function recentIssues(
  db: Database,
  limit: number,
): Promise<Pick<IssueRow, 'tracker' | 'id' | 'identifier'>[]> {
  return db
    .select({ tracker: issues.tracker, id: issues.id, identifier: issues.identifier })
    .from(issues)
    .orderBy(desc(issues.updated_at_ms))
    .limit(limit);
}

/** A page of moves between states, newest first; `total` counts all moves that match the filter. */
export async function transitionPage(
  db: Database,
  page: { identifier: string | null; limit: number; before: number | null },
): Promise<{ rows: TransitionRow[]; total: number; more: boolean }> {
  const ofIssue =
    page.identifier === null ? undefined : eq(transitions.identifier, page.identifier);
  const older = page.before === null ? undefined : lt(transitions.entry, page.before);
  const [rows, counted] = await db.batch([
    db
      .select()
      .from(transitions)
      .where(and(ofIssue, older))
      .orderBy(desc(transitions.entry))
      .limit(page.limit + 1),
    db.select({ total: count() }).from(transitions).where(ofIssue),
  ]);
  return {
    rows: rows.slice(0, page.limit),
    total: counted[0]?.total ?? 0,
    more: rows.length > page.limit,
  };
}
