import { and, eq, sql } from 'drizzle-orm';
import type { Deps } from '../deps.ts';
import { issueFingerprint } from '../attempts/fingerprint.ts';
import { liveAttempts } from '../attempts/queries.ts';
import { requestCancel } from '../attempts/request-cancel.ts';
import type { AttemptRow } from '../db/schema/attempts.ts';
import { type IssueRow, issues } from '../db/schema/issues.ts';
import type { Statement } from '../db/database.ts';
import { isFenced, requireChange } from '../db/require-change.ts';
import { appendEvents } from '../events/append.ts';
import { newIssueRow, trackerColumns } from '../trackers/issue-row.ts';
import { logTransition, TRACKER_ACTOR } from '../trackers/log-transition.ts';
import { isOneOf } from '../trackers/normalise-state.ts';
import type { Tracker, TrackerIssue } from '../trackers/tracker.ts';
import { decideTrackerChange, type TrackerView } from './decide.ts';
import { issuesByIds, issuesOfTracker, issuesUnderWay } from './queries.ts';

const SYNCED_STATUSES: ReadonlySet<IssueRow['status']> = new Set([
  'queued',
  'running',
  'retrying',
  'blocked',
  'failed',
  'completed',
  'cancelled',
]);

type SyncDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'sockets' | 'logger' | 'events'>;

/** A look at a part: changes since then and what is under way; all that is active too, if wanted. */
export type LookScope = { sinceMs: number; withActive: boolean };

/** What one look found, on both sides. */
type Look = {
  /** As the tracker shows them, by id. */
  present: Map<string, TrackerIssue>;
  /** Our rows, by id. */
  known: Map<string, IssueRow>;
  /** Rows that were asked for and may be gone. */
  asked: IssueRow[];
  /** Live attempts of this tracker, by issue id. */
  live: Map<string, AttemptRow>;
};

/**
 * Brings the index up to date with a tracker and lets each difference be decided: new issues are
 * indexed, parked ones woken by a person's change, running ones stopped when they left. With a
 * `scope` only what changed since and what is under way is looked at, where the tracker can tell.
 * Throws the tracker's error before anything was changed.
 */
export async function syncTrackerIssues(
  deps: SyncDeps,
  tracker: Tracker,
  scope: LookScope | null = null,
): Promise<{ seen: number; changed: number }> {
  const changes = scope === null ? undefined : await tracker.fetchChanged?.(scope.sinceMs);
  if (changes !== undefined && scope?.withActive === true)
    changes.push(...(await tracker.fetchByStates(tracker.stateRoles().active)));
  const look =
    changes === undefined
      ? await lookAtAll(deps, tracker)
      : await lookAtChanges(deps, tracker, changes);
  return applyLook(deps, tracker, look);
}

/**
 * The same for single issues of which something is said to have changed, as the tracker shows them
 * now: a word about them that is old, doubled or wrong changes nothing.
 */
export async function syncIssues(
  deps: SyncDeps,
  tracker: Tracker,
  ids: readonly string[],
  /** Also those that are in no active state. */
  always = false,
): Promise<{ seen: number; changed: number }> {
  const known = byId(await issuesByIds(deps.db, tracker.kind, ids));
  const present = byId(await tracker.fetchByIds(ids));
  const live = (await liveAttempts(deps.db)).filter((row) => row.tracker === tracker.kind);
  const look = {
    present,
    known,
    asked: [...known.values()],
    live: new Map(live.map((row) => [row.issue_id, row])),
  };
  return applyLook(deps, tracker, look, always);
}

async function applyLook(
  deps: SyncDeps,
  tracker: Tracker,
  { present, known, asked, live }: Look,
  always = false,
): Promise<{ seen: number; changed: number }> {
  const roles = tracker.stateRoles();
  let changed = 0;
  for (const issue of present.values()) {
    const row = known.get(issue.id);
    const attempt = live.get(issue.id) ?? null;
    const view: TrackerView = {
      kind: 'present',
      state: issue.state,
      active: isOneOf(issue.state, roles.active),
      unroutable: issue.unroutable ?? null,
      terminal: isOneOf(issue.state, roles.terminal),
      fingerprint: issueFingerprint({ ...issue }),
    };
    if (row === undefined) {
      if (!view.active && !always) continue;
      await insertIssue(deps, tracker.kind, issue);
      changed += 1;
    } else if (await applyChange(deps, row, attempt, view, issue)) changed += 1;
  }
  for (const row of asked) {
    if (present.has(row.id)) continue;
    const attempt = live.get(row.id) ?? null;
    if (await applyChange(deps, row, attempt, { kind: 'gone' }, null)) changed += 1;
  }
  return { seen: present.size, changed };
}

/**
 * Everything active, and every row that ought to be looked at although it is not. Rows are read
 * before the tracker: what we moved in between has another version then, and is not taken back.
 */
async function lookAtAll(deps: SyncDeps, tracker: Tracker): Promise<Look> {
  const roles = tracker.stateRoles();
  const known = byId(await issuesOfTracker(deps.db, tracker.kind));
  const active = await tracker.fetchByStates(roles.active);
  const present = byId(active);
  const asked = [...known.values()].filter(
    (row) =>
      !present.has(row.id) && (SYNCED_STATUSES.has(row.status) || isOneOf(row.state, roles.active)),
  );
  for (const issue of await tracker.fetchByIds(asked.map((row) => row.id)))
    present.set(issue.id, issue);
  const live = (await liveAttempts(deps.db)).filter((row) => row.tracker === tracker.kind);
  return { present, known, asked, live: new Map(live.map((row) => [row.issue_id, row])) };
}

/**
 * What changed in the tracker, what is under way here, and what a blocker's change may concern.
 * Which rows those are only the changes tell. One that shows another state than we know may be older
 * than our own move: it is asked for once more, now that its row is known.
 */
async function lookAtChanges(
  deps: SyncDeps,
  tracker: Tracker,
  changes: TrackerIssue[],
): Promise<Look> {
  const present = byId(changes);
  const { live, ids } = await issuesUnderWay(deps.db, tracker.kind, changes.length > 0);
  const others = ids.filter((id) => !present.has(id));
  const known = byId(await issuesByIds(deps.db, tracker.kind, [...present.keys(), ...others]));
  const moved = changes.filter(({ id, state }) => (known.get(id)?.state ?? state) !== state);
  for (const { id } of moved) present.delete(id);
  const wanted = [...others, ...moved.map(({ id }) => id)];
  const shown = wanted.length === 0 ? [] : await tracker.fetchByIds(wanted);
  for (const issue of shown) present.set(issue.id, issue);
  const asked = wanted.flatMap((id) => known.get(id) ?? []);
  return { present, known, asked, live: new Map(live.map((row) => [row.issue_id, row])) };
}

function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

async function insertIssue(
  deps: Pick<Deps, 'db' | 'clock'>,
  tracker: string,
  issue: TrackerIssue,
): Promise<void> {
  const row = newIssueRow(tracker, issue);
  await deps.db.batch([
    deps.db.insert(issues).values(row).onConflictDoNothing(),
    ...appendEvents(deps.db, deps.clock.nowMs(), [updatedEvent(deps, row, 'idle', null)]),
  ]);
}

function updatedEvent(
  deps: Pick<Deps, 'clock'>,
  issue: { identifier: string; id: string },
  status: string,
  reason: string | null,
) {
  return {
    type: 'issue.updated',
    atMs: deps.clock.nowMs(),
    data: { identifier: issue.identifier, issueId: issue.id, status, reason },
  };
}

async function applyChange(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'sockets'>,
  row: IssueRow,
  attempt: AttemptRow | null,
  view: TrackerView,
  issue: TrackerIssue | null,
): Promise<boolean> {
  const change = decideTrackerChange(
    { status: row.status, state: row.state, parkedFingerprint: row.parked_fingerprint },
    attempt === null ? null : { delivering: attempt.phase === 'delivering' },
    view,
  );
  const mirrored = issue === null ? {} : trackerColumns(row.tracker, issue);
  const differs = mirrorDiffers(row, mirrored);
  const reparked = change.parkedFingerprint !== null;
  if (!differs && !reparked && change.status === null && change.stop === null) return false;

  const nowMs = deps.clock.nowMs();
  const fresh = change.wake
    ? {
        run_count: 0,
        failure_count: 0,
        next_retry_at_ms: null,
        parked_fingerprint: null,
        parked_kind: null,
      }
    : reparked
      ? { parked_fingerprint: change.parkedFingerprint }
      : {};
  // A change of status here is never one to `queued`.
  const queuedSince = change.status === null ? {} : { queued_since_ms: null };
  const status = change.status ?? row.status;
  const reason = change.status === null ? row.reason : change.reason;
  const statements: [Statement, ...Statement[]] = [
    deps.db
      .update(issues)
      .set({
        ...mirrored,
        ...fresh,
        ...queuedSince,
        status,
        reason,
        version: sql`${issues.version} + 1`,
      })
      .where(
        and(
          eq(issues.tracker, row.tracker),
          eq(issues.id, row.id),
          eq(issues.version, row.version),
        ),
      ),
    requireChange(deps.db),
    ...(issue === null || issue.state === row.state ? [] : [seenMove(deps, row, issue)]),
    ...appendEvents(deps.db, nowMs, [updatedEvent(deps, row, status, reason)]),
  ];
  if (differs || reparked || change.status !== null) {
    try {
      await deps.db.batch(statements);
    } catch (error) {
      // Somebody changed it in between: the next look decides by what is there then.
      if (isFenced(error)) return false;
      throw error;
    }
  }
  if (change.stop !== null && attempt !== null && attempt.cancel_requested_at_ms === null) {
    await requestCancel(deps, { attempt, issue: row, reason: change.stop, kind: 'tracker' });
  }
  return true;
}

/** Somebody moved it in the tracker: our own moves are in the index before they are seen. */
function seenMove(deps: Pick<Deps, 'db' | 'clock'>, row: IssueRow, issue: TrackerIssue): Statement {
  const move = { issue: row, from: row.state, to: issue.state };
  const seen = { reason: null, actor: TRACKER_ACTOR };
  return logTransition(deps.db, deps.clock.nowMs(), { ...move, ...seen });
}

function mirrorDiffers(row: IssueRow, mirrored: Partial<IssueRow>): boolean {
  return Object.entries(mirrored).some(
    ([column, value]) => JSON.stringify(row[column as keyof IssueRow]) !== JSON.stringify(value),
  );
}
