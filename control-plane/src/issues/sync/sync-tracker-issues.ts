import type { Deps } from '../../deps.ts';
import { issueFingerprint } from '../../attempts/issue-fingerprint.ts';
import { liveAttempts, type ShownAttempt } from '../../attempts/queries.ts';
import { isWithin } from '../../is-within.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { mirroredIssue } from '../../ports/tracker/issue-row.ts';
import type { StateRoles, Tracker, TrackerIssue } from '../../ports/tracker/tracker.ts';
import {
  collectUnreadable,
  shownProblem,
  type UnreadableRecord,
} from '../../ports/tracker/unreadable-record.ts';
import { applyTrackerChange, insertIssue } from './apply-tracker-change.ts';
import type { TrackerView } from '../decide.ts';
import { takeIdentifier, withHolders } from './take-identifier.ts';
import {
  byId,
  byIssue,
  probeAllIssues,
  probeChangedIssues,
  type ProbingTracker,
  type SyncSnapshot,
  SYNCED_STATUSES,
} from './probe-issues.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { issuesByIds, issuesOfTracker, issuesUnderWay } from '../queries.ts';
import { possiblyUnblocked } from './possibly-unblocked.ts';

/** How far a tracker's read replica may lag behind. */
const REPLICA_LAG_MS = 300_000;

/** Result of a sync; an unreadable issue is changed only if its state shows that it is inactive. */
type Synced = { seen: number; changed: number; unreadable: UnreadableRecord[] };

type SyncDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'connections'>;

/**
 * What a sync reads. `all`: everything, at the first sync and after the settings changed. `known`:
 * everything, but details only of what differs, if the tracker supports that. An object: changes
 * since `sinceMs` and issues with work under way, with `withActive` also everything active, and
 * with `withWaiting` issues that may have lost a blocker without a new time.
 */
export type SyncScope =
  | 'all'
  | 'known'
  | { sinceMs: number; withActive: boolean; withWaiting?: boolean };

/**
 * Syncs the recorded issues with a tracker: new issues are inserted, parked ones requeued after a
 * person's change, and running ones stopped if they left the active states. Of issues that cannot
 * be read only a leave is applied. Throws the tracker's error before anything is changed.
 */
export async function syncTrackerIssues(
  deps: SyncDeps,
  tracker: Tracker,
  scope: SyncScope = 'all',
  /** Ids of issues that could not be read at the last sync and are requested again. */
  again: readonly string[] = [],
): Promise<Synced> {
  return applySync(deps, tracker, await collectFacts(deps, tracker, scope, again));
}

async function collectFacts(
  deps: SyncDeps,
  tracker: Tracker,
  scope: SyncScope,
  again: readonly string[],
): Promise<SyncSnapshot> {
  if (canProbe(tracker)) {
    if (typeof scope !== 'object')
      return probeAllIssues(deps, tracker, { isNew: scope === 'all', again });
    if (!scope.withActive) return probeChangedIssues(deps, tracker, { ...scope, again });
  }
  if (typeof scope !== 'object') return fullSync(deps, tracker);
  const collector = collectUnreadable();
  const changes = await tracker.fetchChanged?.(scope.sinceMs, collector.onUnreadable);
  if (changes === undefined) return fullSync(deps, tracker);
  const { active } = tracker.stateRoles();
  if (scope.withActive)
    changes.push(...(await tracker.fetchByStates(active, collector.onUnreadable)));
  const waiting = scope.withWaiting === true ? await possiblyUnblocked(deps, tracker) : [];
  return snapshotOfChanges(deps, tracker, { changes, again, collector, waiting });
}

type SyncOptions = {
  /** Also new issues that are in no active state. */
  withInactive?: boolean;
};

function canProbe(tracker: Tracker): tracker is ProbingTracker {
  return tracker.probe !== undefined;
}

/**
 * As `syncTrackerIssues`, for single issues that a webhook reports as changed. The tracker's
 * present state counts, so an outdated, repeated or wrong report changes nothing.
 */
export async function syncIssues(
  deps: SyncDeps,
  tracker: Tracker,
  ids: readonly string[],
  options: SyncOptions = {},
): Promise<Synced> {
  const { unreadable, onUnreadable } = collectUnreadable();
  const known = byId(await issuesByIds(deps.db, tracker.kind, ids));
  const found = await tracker.fetchByIds(ids, onUnreadable);
  const live = (await liveAttempts(deps.db)).filter((row) => row.tracker === tracker.kind);
  const asked = [...known.values()];
  const facts = { present: byId(found), known, asked, live: byIssue(live), unreadable };
  return applySync(deps, tracker, facts, options);
}

async function applySync(
  deps: SyncDeps,
  tracker: Tracker,
  { present, known, asked, live, unreadable }: SyncSnapshot,
  { withInactive = false }: SyncOptions = {},
): Promise<Synced> {
  const roles = tracker.stateRoles();
  let changed = 0;
  const apply = (row: IssueRow, attempt: ShownAttempt | null, issue: TrackerIssue) =>
    applyTrackerChange(deps, row, attempt, { view: viewOf(roles, issue), issue });
  const begun = new Map(
    [...present].map(([id, issue]) => [id, asBegun(known.get(id), issue)] as const),
  );
  const seen = [...begun.values()].filter((issue) => {
    const row = known.get(issue.id);
    if (row === undefined) return viewOf(roles, issue).active || withInactive;
    return !isOutdated(row, issue, deps.clock.nowMs());
  });
  const isNamedAnew = ({ id, identifier }: TrackerIssue) =>
    known.get(id)?.identifier !== identifier;
  const asking = { db: deps.db, tracker, present: begun };
  const shown = await withHolders(asking, seen.filter(isNamedAnew));
  const taking = { ...asking, present: shown, live, apply };
  const nameless: UnreadableRecord[] = [];
  for (const issue of seen) {
    const row = known.get(issue.id);
    if (isNamedAnew(issue)) {
      const problem = await takeIdentifier(taking, issue);
      if (problem !== null) {
        const { id, identifier: name } = issue;
        nameless.push({ id, name, problem: shownProblem(problem) });
        continue;
      }
    }
    if (row === undefined) {
      await insertIssue(deps, tracker.kind, issue);
      changed += 1;
    } else if (await apply(row, live.get(issue.id) ?? null, issue)) changed += 1;
  }
  const isUnreadable = new Set(unreadable.map(({ id }) => id));
  for (const [id, record] of byRecord(unreadable)) {
    const row = known.get(id);
    if (row === undefined || present.has(id)) continue;
    const issue = asEnded(roles, row, { record, nowMs: deps.clock.nowMs() });
    if (issue === null) continue;
    if (await apply(row, live.get(id) ?? null, issue)) changed += 1;
  }
  for (const row of asked) {
    if (present.has(row.id) || isUnreadable.has(row.id)) continue;
    const attempt = live.get(row.id) ?? null;
    const view = { kind: 'gone', why: tracker.whyNotTracked?.(row.id) ?? null } as const;
    if (await applyTrackerChange(deps, row, attempt, { view, issue: null })) changed += 1;
  }
  return { seen: present.size, changed, unreadable: [...unreadable, ...nameless] };
}

/**
 * Ignores conditions that only prevent the start of work on an issue that already has an attempt.
 */
function asBegun(row: IssueRow | undefined, issue: TrackerIssue): TrackerIssue {
  if (issue.unroutableAtStart !== true || row === undefined || row.attempt_count === 0)
    return issue;
  const isSame = row.native_ref === null || row.native_ref === issue.nativeRef;
  return isSame ? { ...issue, unroutable: null } : issue;
}

function viewOf(roles: StateRoles, issue: TrackerIssue): Extract<TrackerView, { kind: 'present' }> {
  return {
    kind: 'present',
    state: issue.state,
    active: isOneOf(issue.state, roles.active),
    unroutable: issue.unroutable ?? null,
    terminal: isOneOf(issue.state, roles.terminal),
    fingerprint: issueFingerprint({ ...issue }),
  };
}

/**
 * One record for each issue: a list and a request by id may both report it, and the one with a
 * state is kept.
 */
function byRecord(unreadable: readonly UnreadableRecord[]): Map<string, UnreadableRecord> {
  const records = new Map<string, UnreadableRecord>();
  for (const record of unreadable) {
    const { id, state } = record;
    if (id !== null && (state != null || !records.has(id))) records.set(id, record);
  }
  return records;
}

/**
 * An unreadable issue as its row with the new state, if its record still shows that it left the
 * active states; null: the row stays as it is. Dispatch skips unreadable issues.
 */
function asEnded(
  roles: StateRoles,
  row: IssueRow,
  { record: { state, updatedAtMs }, nowMs }: { record: UnreadableRecord; nowMs: number },
): TrackerIssue | null {
  if (state == null || updatedAtMs == null || isOneOf(state, roles.active)) return null;
  const issue = { ...mirroredIssue(row), state };
  return isOutdated(row, { ...issue, updatedAtMs }, nowMs) ? null : issue;
}

/**
 * Whether a tracker response is older than the row, as from a replica that lags behind. The check
 * holds only for a short time, so that a wrong clock or a restored backup hides nothing for good.
 */
function isOutdated(row: IssueRow, issue: TrackerIssue, nowMs: number): boolean {
  if (issue.updatedAtMs >= row.updated_at_ms || issue.nativeRef !== row.native_ref) return false;
  return isWithin(nowMs, row.updated_at_ms, REPLICA_LAG_MS);
}

/**
 * Reads everything active, and every other issue in a synced status. Rows are read before the
 * tracker is queried: a move made by this service in between raises the row's version and is not
 * reverted.
 */
async function fullSync(deps: SyncDeps, tracker: Tracker): Promise<SyncSnapshot> {
  const roles = tracker.stateRoles();
  const known = byId(await issuesOfTracker(deps.db, tracker.kind));
  const { unreadable, onUnreadable } = collectUnreadable();
  const active = await tracker.fetchByStates(roles.active, onUnreadable);
  const present = byId(active);
  const asked = [...known.values()].filter(
    (row) =>
      !present.has(row.id) && (SYNCED_STATUSES.has(row.status) || isOneOf(row.state, roles.active)),
  );
  const ids = asked.map((row) => row.id);
  for (const issue of await tracker.fetchByIds(ids, onUnreadable)) present.set(issue.id, issue);
  const live = (await liveAttempts(deps.db)).filter((row) => row.tracker === tracker.kind);
  return { present, known, asked, live: byIssue(live), unreadable };
}

/**
 * Reads issues that changed, that have work under way or whose blockers may have changed. An issue
 * whose state differs from its row is requested again, now that the row is read: the first response
 * may predate a move by this service.
 */
async function snapshotOfChanges(
  deps: SyncDeps,
  tracker: Tracker,
  given: {
    changes: TrackerIssue[];
    again: readonly string[];
    collector: ReturnType<typeof collectUnreadable>;
    waiting: readonly IssueRow[];
  },
): Promise<SyncSnapshot> {
  const { changes, again, collector, waiting } = given;
  const present = byId(changes);
  const { live, ids } = await issuesUnderWay(deps.db, tracker.kind, {
    withBlocked: changes.length > 0,
  });
  const wished = [...ids, ...again, ...waiting.map(({ id }) => id)];
  const others = [...new Set(wished)].filter((id) => !present.has(id));
  const known = byId(await issuesByIds(deps.db, tracker.kind, [...present.keys(), ...others]));
  const moved = changes.filter(({ id, state }) => (known.get(id)?.state ?? state) !== state);
  for (const { id } of moved) present.delete(id);
  const wanted = [...others, ...moved.map(({ id }) => id)];
  const shown = wanted.length === 0 ? [] : await tracker.fetchByIds(wanted, collector.onUnreadable);
  for (const issue of shown) present.set(issue.id, issue);
  const asked = wanted.flatMap((id) => known.get(id) ?? []);
  return { present, known, asked, live: byIssue(live), unreadable: collector.unreadable };
}
