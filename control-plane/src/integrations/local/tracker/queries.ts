import { and, asc, count, desc, eq, gte, inArray } from 'drizzle-orm';
import type { LocalState } from '@switchyard/shared/api/work/local-issue';
import type { Database } from '../../../db/database.ts';
import { type IssueRow, issues } from '../../../db/schema/work/issues.ts';
import { type LocalIssueRow, localIssues } from '../../../db/schema/work/local-issues.ts';
import { AppError } from '../../../errors.ts';
import { LOCAL_TRACKER } from './local-tracker-deps.ts';

/** Ids in one `in (…)`: far below SQLite's limit of 32,766 parameters. */
const IDS_PER_QUERY = 500;

/** The issue with this identifier; throws a 404 when there is none. */
export async function requireLocalIssue(db: Database, identifier: string): Promise<LocalIssueRow> {
  const rows = await db.select().from(localIssues).where(eq(localIssues.identifier, identifier));
  if (rows[0] === undefined) throw new AppError('not_found', `issue ${identifier} not found`);
  return rows[0];
}

/** The error for a change that others were faster than again and again. */
export function keepsChanging({ identifier }: Pick<LocalIssueRow, 'identifier'>): AppError {
  return new AppError('conflict', `issue ${identifier} keeps changing; try again`);
}

export async function localIssueById(db: Database, id: string): Promise<LocalIssueRow | undefined> {
  const rows = await db.select().from(localIssues).where(eq(localIssues.id, id));
  return rows[0];
}

/** Issues with these ids in no order; missing ones are left out. */
export async function localIssuesByIds(
  db: Database,
  ids: readonly string[],
): Promise<LocalIssueRow[]> {
  const unique = [...new Set(ids)];
  const found: LocalIssueRow[] = [];
  for (let from = 0; from < unique.length; from += IDS_PER_QUERY) {
    const part = unique.slice(from, from + IDS_PER_QUERY);
    found.push(...(await db.select().from(localIssues).where(inArray(localIssues.id, part))));
  }
  return found;
}

/** An issue's relatives by which the port's form of it is made. */
export type Relatives = {
  /** At least the issues that block it, and its parent. */
  named: readonly LocalIssueRow[];
  /** At least its parts. */
  parts: readonly LocalIssueRow[];
};

/** The issues that these name, and their parts. */
export async function relativesOf(
  db: Database,
  rows: readonly Pick<LocalIssueRow, 'id' | 'blocked_by' | 'parent_id'>[],
): Promise<Relatives> {
  const named = rows.flatMap((row) => [
    ...row.blocked_by,
    ...(row.parent_id === null ? [] : [row.parent_id]),
  ]);
  const ids = rows.map(({ id }) => id);
  const [known, parts] = await Promise.all([localIssuesByIds(db, named), partsOf(db, ids)]);
  return { named: known, parts };
}

/** The parts of these issues, oldest first. */
async function partsOf(db: Database, ids: readonly string[]): Promise<LocalIssueRow[]> {
  const found: LocalIssueRow[] = [];
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
    const some = inArray(localIssues.parent_id, ids.slice(from, from + IDS_PER_QUERY));
    found.push(...(await db.select().from(localIssues).where(some)));
  }
  return found.toSorted((a, b) => a.number - b.number);
}

export async function localIssuesByStates(
  db: Database,
  states: readonly LocalState[],
): Promise<LocalIssueRow[]> {
  if (states.length === 0) return [];
  return db
    .select()
    .from(localIssues)
    .where(inArray(localIssues.state, [...states]))
    .orderBy(asc(localIssues.number));
}

/** Issues that were created or changed since then, inclusive. */
export async function localIssuesChanged(db: Database, sinceMs: number): Promise<LocalIssueRow[]> {
  return db
    .select()
    .from(localIssues)
    .where(gte(localIssues.updated_at_ms, sinceMs))
    .orderBy(asc(localIssues.number));
}

/** A page of issues with their recorded rows, newest first. */
export async function localIssuePage(
  db: Database,
  input: { state: LocalState | undefined; limit: number; offset: number },
): Promise<{ rows: { local: LocalIssueRow; index: IssueRow | null }[]; total: number }> {
  const filter = input.state === undefined ? undefined : eq(localIssues.state, input.state);
  const [rows, totals] = await db.batch([
    db
      .select({ local: localIssues, index: issues })
      .from(localIssues)
      .leftJoin(issues, and(eq(issues.tracker, LOCAL_TRACKER), eq(issues.id, localIssues.id)))
      .where(filter)
      .orderBy(desc(localIssues.number))
      .limit(input.limit)
      .offset(input.offset),
    db.select({ total: count() }).from(localIssues).where(filter),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** The recorded row of a local issue, if there is one. */
export async function indexRow(db: Database, id: string): Promise<IssueRow | undefined> {
  const rows = await db
    .select()
    .from(issues)
    .where(and(eq(issues.tracker, LOCAL_TRACKER), eq(issues.id, id)));
  return rows[0];
}
