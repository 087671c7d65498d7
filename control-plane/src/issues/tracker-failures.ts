import { and, desc, eq, inArray } from 'drizzle-orm';
import type { TrackerFailure } from '@switchyard/shared/api/work/issue';
import type { Database } from '../db/database.ts';
import { type JobRow, jobs } from '../db/schema/operation/jobs.ts';
import type { IssueRow } from '../db/schema/work/issues.ts';
import { transitions } from '../db/schema/work/transitions.ts';
import type { Deps } from '../deps.ts';
import { Effect } from '../jobs/queue/effect.ts';
import { stateOfRole } from './tracker/state-of-role.ts';
import type { StateRoles } from './tracker/tracker.ts';

type Change = TrackerFailure['change'];

const CHANGES = {
  'tracker.transition': 'state',
  'tracker.move': 'state',
  'tracker.comment': 'comment',
  'tracker.attach': 'link',
  'tracker.agent_session': 'session',
} as const satisfies Partial<Record<Effect['kind'], Change>>;
/** Kinds of effects that change an issue in its tracker. */
const KINDS = Object.keys(CHANGES) as (keyof typeof CHANGES)[];
/** An attempt has a handful; older ones are overtaken. */
const NEWEST = 50;

/** The change in the tracker that an effect of this kind makes; null: none. */
export function trackerChangeOf(kind: string): Change | null {
  return Object.hasOwn(CHANGES, kind) ? CHANGES[kind as keyof typeof CHANGES] : null;
}

/** What could not be changed in the tracker and is still wanted: the newest failure of each change. */
export async function trackerFailures(
  { db, trackers }: Pick<Deps, 'db' | 'trackers'>,
  issue: IssueRow,
): Promise<TrackerFailure[]> {
  const [rows, [moved]] = await Promise.all([changesOf(db, issue), lastMoveOf(db, issue)]);
  const roles = trackers.get(issue.tracker)?.stateRoles() ?? null;
  const settled = new Set<Change>();
  const failures: TrackerFailure[] = [];
  for (const row of rows) {
    const change = trackerChangeOf(row.kind);
    if (change === null || settled.has(change)) continue;
    const isUntried = row.status === 'pending' && row.last_error === null;
    if (isUntried) continue;
    settled.add(change);
    if (row.status === 'done') continue;
    // Whoever has moved it since has had the last word.
    if (change === 'state' && (moved?.at_ms ?? 0) > row.created_at_ms) continue;
    failures.push(failureOf(row, change, roles));
  }
  return failures;
}

function changesOf(db: Database, issue: IssueRow): Promise<JobRow[]> {
  return db
    .select()
    .from(jobs)
    .where(
      and(
        eq(jobs.issue_id, issue.id),
        eq(jobs.tracker, issue.tracker),
        inArray(jobs.kind, [...KINDS]),
      ),
    )
    .orderBy(desc(jobs.created_at_ms), desc(jobs.key))
    .limit(NEWEST);
}

function lastMoveOf(db: Database, { identifier }: IssueRow) {
  return db
    .select({ at_ms: transitions.at_ms })
    .from(transitions)
    .where(eq(transitions.identifier, identifier))
    .orderBy(desc(transitions.entry))
    .limit(1);
}

function failureOf(row: JobRow, change: Change, roles: StateRoles | null): TrackerFailure {
  return {
    change,
    state: change === 'state' ? wantedState(row, roles) : null,
    error: row.last_error ?? '',
    tries: row.tries,
    nextTryAt: row.status === 'dead' ? null : new Date(row.due_at_ms).toISOString(),
  };
}

function wantedState({ kind, payload }: JobRow, roles: StateRoles | null): string | null {
  const effect = Effect.safeParse({ kind, ...payload }).data;
  if (effect?.kind === 'tracker.move') return effect.to;
  if (effect?.kind !== 'tracker.transition' || roles === null) return null;
  return stateOfRole(roles, effect.role);
}
