import { liveAttempts, type ShownAttempt } from '../../attempts/queries.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { mirroredIssue } from '../../ports/tracker/issue-row.ts';
import { isOneOf } from '../../ports/tracker/find-state.ts';
import { isGone, isOutOfSight } from '../../ports/tracker/out-of-sight.ts';
import type { ProbeScope, IssueProbe, Tracker, TrackerIssue } from '../../ports/tracker/tracker.ts';
import {
  collectUnreadable,
  type OnUnreadable,
  type UnreadableRecord,
} from '../../ports/tracker/unreadable-record.ts';
import { blockedIssues, issuesByIds, issuesOfTracker, issuesUnderWay } from '../queries.ts';
import { possiblyUnblocked } from './possibly-unblocked.ts';

/** What a sync read from the tracker and from the database. */
export type SyncSnapshot = {
  /** Issues that the tracker returned, by id. */
  present: Map<string, TrackerIssue>;
  /** Recorded issues, by id. */
  known: Map<string, IssueRow>;
  /** Recorded issues that were requested from the tracker by id and may have been removed there. */
  asked: IssueRow[];
  /** Live attempts of this tracker, by issue id. */
  live: Map<string, ShownAttempt>;
  /**
   * Issues that the tracker returned in a form that cannot be read; their rows stay as they are.
   */
  unreadable: UnreadableRecord[];
};

/** A tracker that can list issues as probes: id, state and times only, for a cheap request. */
export type ProbingTracker = Tracker & { probe(of: ProbeScope): Promise<IssueProbe[]> };

/** Statuses in which an issue is synced although it is in no active state. */
export const SYNCED_STATUSES: ReadonlySet<IssueRow['status']> = new Set([
  'queued',
  'running',
  'retrying',
  'blocked',
  'failed',
  'completed',
  'cancelled',
]);

/**
 * Probes every active issue and every recorded issue in a synced status. Details are read only of
 * issues that are new, changed or blocked, because a change of blockers changes no time of the issue.
 * `isNew` (the settings changed) reads the details of everything active; `again` lists ids that were
 * unreadable at the last sync.
 */
export async function probeAllIssues(
  deps: Pick<Deps, 'db'>,
  tracker: ProbingTracker,
  { isNew, again }: { isNew: boolean; again: readonly string[] },
): Promise<SyncSnapshot> {
  const roles = tracker.stateRoles();
  const { unreadable, onUnreadable } = collectUnreadable();
  const known = byId(await issuesOfTracker(deps.db, tracker.kind));
  const active = byId(await tracker.probe({ states: roles.active }, onUnreadable));
  const asked = [...known.values()].filter(
    (row) =>
      !active.has(row.id) && (SYNCED_STATUSES.has(row.status) || isOneOf(row.state, roles.active)),
  );
  const others =
    asked.length === 0 ? [] : await tracker.probe({ ids: asked.map(({ id }) => id) }, onUnreadable);
  const seen = new Map([...byId(others), ...active]);
  const dated = [...seen.values()].filter((probe) => {
    const row = known.get(probe.id);
    if (row === undefined || isDated(row, probe, again)) return true;
    const isBlocked = probe.isBlocked || row.blocked_by.length + row.sub_issues.length > 0;
    // Trackers may restore an issue from their archive without changing its time.
    if (active.has(probe.id)) return isNew || isBlocked || isOutOfSight(row);
    // In an active state but not listed as active: it was archived or assigned to others.
    return row.unroutable === null && isOneOf(probe.state, roles.active);
  });
  const ids = dated.map(({ id }) => id);
  const present = await withDetails(tracker, { seen, known, dated: ids }, onUnreadable);
  const live = (await liveAttempts(deps.db)).filter((row) => row.tracker === tracker.kind);
  return { present, known, asked, live: byIssue(live), unreadable };
}

/**
 * Probes issues that changed in the tracker or have work under way. Details are read only of those
 * that differ from their rows, whose blockers changed state, or (`withWaiting`) may have lost a
 * blocker. `again` lists ids that were unreadable at the last sync.
 */
export async function probeChangedIssues(
  deps: Pick<Deps, 'db' | 'clock'>,
  tracker: ProbingTracker,
  {
    sinceMs,
    again,
    withWaiting = false,
  }: { sinceMs: number; again: readonly string[]; withWaiting?: boolean },
): Promise<SyncSnapshot> {
  const { active } = tracker.stateRoles();
  const { unreadable, onUnreadable } = collectUnreadable();
  const seen = byId(await tracker.probe({ sinceMs }, onUnreadable));
  const { live, ids } = await issuesUnderWay(deps.db, tracker.kind);
  const others = [...new Set([...ids, ...again])].filter((id) => !seen.has(id));
  const probes = others.length === 0 ? [] : await tracker.probe({ ids: others }, onUnreadable);
  for (const probe of probes) seen.set(probe.id, probe);
  const known = byId(await issuesByIds(deps.db, tracker.kind, [...seen.keys(), ...others]));
  const dated = new Set<string>();
  for (const probe of seen.values()) {
    const row = known.get(probe.id);
    const isOurs = row === undefined ? isOneOf(probe.state, active) : isDated(row, probe, again);
    if (isOurs) dated.add(probe.id);
  }
  for (const row of seen.size === 0 ? [] : await blockedIssues(deps.db, tracker.kind)) {
    const isOther = ({ id, state }: { id: string; state: string | null }) =>
      (seen.get(id)?.state ?? state) !== state;
    if (![...row.blocked_by, ...row.sub_issues].some(isOther)) continue;
    known.set(row.id, row);
    dated.add(row.id);
  }
  for (const row of withWaiting ? await possiblyUnblocked(deps, tracker) : []) {
    known.set(row.id, row);
    dated.add(row.id);
  }
  const present = await withDetails(tracker, { seen, known, dated: [...dated] }, onUnreadable);
  const asked = [...others, ...dated].flatMap((id) => known.get(id) ?? []);
  return { present, known, asked, live: byIssue(live), unreadable };
}

/**
 * Whether a row may differ from what the tracker shows. The time alone does not decide it: a move
 * by this service changes the row first, and an issue that was removed may have come back.
 */
function isDated(row: IssueRow, probe: IssueProbe, again: readonly string[]): boolean {
  const differs = row.updated_at_ms !== probe.updatedAtMs || row.state !== probe.state;
  return differs || isGone(row.unroutable) || again.includes(probe.id);
}

/**
 * Combines details of the issues in `dated` with the rows of unchanged ones. An issue that was
 * removed since its probe is left out.
 */
async function withDetails(
  tracker: Tracker,
  given: { seen: Map<string, IssueProbe>; known: Map<string, IssueRow>; dated: string[] },
  onUnreadable: OnUnreadable,
): Promise<Map<string, TrackerIssue>> {
  const { seen, known, dated } = given;
  const present = new Map<string, TrackerIssue>();
  const wanted = new Set(dated);
  for (const id of seen.keys()) {
    const row = known.get(id);
    if (row !== undefined && !wanted.has(id)) present.set(id, mirroredIssue(row));
  }
  const details = dated.length === 0 ? [] : await tracker.fetchByIds(dated, onUnreadable);
  for (const issue of details) present.set(issue.id, issue);
  return present;
}

export function byIssue(live: readonly ShownAttempt[]): Map<string, ShownAttempt> {
  return new Map(live.map((row) => [row.issue_id, row]));
}

export function byId<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
