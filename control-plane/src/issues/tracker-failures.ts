import { and, desc, eq, inArray, isNotNull, ne, sql } from 'drizzle-orm';
import type { TrackerFailure } from '@switchyard/shared/api/work/issue';
import type { Database } from '../db/database.ts';
import { type JobRow, jobs } from '../db/schema/operation/jobs.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { transitions } from '../db/schema/work/transitions.ts';
import type { Deps } from '../deps.ts';
import { Effect } from '../jobs/queue/effect.ts';
import { MAX_TRIES } from '../jobs/queue/run-jobs.ts';
import { stateOfRole } from '../ports/tracker/state-of-role.ts';
import type { StateRoles } from '../ports/tracker/tracker.ts';

type Change = TrackerFailure['change'];

const CHANGES = {
  'tracker.transition': 'state',
  'tracker.move': 'state',
  'tracker.comment': 'comment',
  'tracker.plan': 'comment',
  'tracker.attach': 'link',
  'tracker.agent_session': 'session',
} as const satisfies Partial<Record<Effect['kind'], Change>>;
/** Kinds of effects that change an issue in its tracker. */
const KINDS = Object.keys(CHANGES) as (keyof typeof CHANGES)[];
/** Limit on the failures that are read, newest first. */
const NEWEST = 50;

/** The kind of tracker change that an effect makes; null when it changes nothing there. */
export function trackerChangeOf(kind: string): Change | null {
  return Object.hasOwn(CHANGES, kind) ? CHANGES[kind as keyof typeof CHANGES] : null;
}

/** The newest failure of each kind of tracker change that is still wanted. */
export async function trackerFailures(
  { db, trackers }: Pick<Deps, 'db' | 'trackers'>,
  issue: IssueRow,
): Promise<TrackerFailure[]> {
  const tracker = trackers.get(issue.tracker);
  if (tracker === undefined) return [];
  const roles = tracker.stateRoles();
  const [failed, done, [moved]] = await db.batch([
    failedChanges(db, issue),
    changesMade(db, issue),
    lastMoveOf(db, issue),
  ]);
  const settledAtMs = new Map<Change, number>();
  for (const { kind, atMs } of done) {
    const change = trackerChangeOf(kind);
    if (change !== null) settledAtMs.set(change, Math.max(settledAtMs.get(change) ?? 0, atMs));
  }
  const failures = new Map<Change, TrackerFailure>();
  for (const row of failed) {
    const change = trackerChangeOf(row.kind);
    if (change === null || failures.has(change)) continue;
    if ((settledAtMs.get(change) ?? -1) >= row.created_at_ms) continue;
    if (isMoot(row, change, moved?.atMs ?? -1)) continue;
    failures.set(change, failureOf(row, change, roles));
  }
  return [...failures.values()];
}

/** Whether a dead job's change is no longer wanted. */
function isMoot({ status, tries, created_at_ms }: JobRow, change: Change, movedAtMs: number) {
  if (status !== 'dead') return false;
  // An ended session accepts nothing more, and a later move of the issue replaces a failed one.
  return change === 'session' ? tries < MAX_TRIES : change === 'state' && movedAtMs > created_at_ms;
}

function isChangeOf(issue: IssueRow) {
  return and(
    eq(jobs.issue_id, issue.id),
    eq(jobs.tracker, issue.tracker),
    inArray(jobs.kind, [...KINDS]),
  );
}

function failedChanges(db: Database, issue: IssueRow) {
  return db
    .select()
    .from(jobs)
    .where(and(isChangeOf(issue), ne(jobs.status, 'done'), isNotNull(jobs.last_error)))
    .orderBy(desc(jobs.created_at_ms))
    .limit(NEWEST);
}

/** For each effect kind, when the newest completed change was enqueued, epoch milliseconds. */
function changesMade(db: Database, issue: IssueRow) {
  return db
    .select({ kind: jobs.kind, atMs: sql<number>`max(${jobs.created_at_ms})` })
    .from(jobs)
    .where(and(isChangeOf(issue), eq(jobs.status, 'done')))
    .groupBy(jobs.kind);
}

function lastMoveOf(db: Database, { identifier }: IssueRow) {
  return db
    .select({ atMs: transitions.at_ms })
    .from(transitions)
    .where(eq(transitions.identifier, identifier))
    .orderBy(desc(transitions.entry))
    .limit(1);
}

function failureOf(row: JobRow, change: Change, roles: StateRoles): TrackerFailure {
  return {
    change,
    state: change === 'state' ? wantedState(row, roles) : null,
    error: row.last_error ?? '',
    tries: row.tries,
    nextTryAt: row.status === 'dead' ? null : new Date(row.due_at_ms).toISOString(),
  };
}

function wantedState({ kind, payload }: JobRow, roles: StateRoles): string | null {
  const effect = Effect.safeParse({ kind, ...payload }).data;
  if (effect?.kind === 'tracker.move') return effect.to;
  if (effect?.kind !== 'tracker.transition') return null;
  return stateOfRole(roles, effect.role);
}
