import { kindForPullRequest } from '../../attempts/kind-for-pull-request.ts';
import { liveAttemptOf } from '../decide.ts';
import { isWaitingForParts, openParts } from '../sub-issues/decide.ts';
import { closePlan } from '../../attempts/plans/hand-in-plan.ts';
import { distinctKey, workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import { waitsForPerson } from '@switchyard/shared/reasons/explain-reason';
import { commitChange } from '../../observe/events/commit-change.ts';
import { issueEvent } from '../rows/issue-event.ts';
import { swapIssue } from '../../db/rows/update-issue.ts';
import type { Deps } from '../../deps.ts';
import { attemptById, type ShownAttempt } from '../../attempts/queries.ts';
import { requestCancel } from '../../attempts/request-cancel.ts';
import { type IssueRow, issues } from '../../db/schema/work/issues.ts';
import type { Statement } from '../../db/database.ts';
import { identityOf } from '../../attempts/identity/identity-of.ts';
import { isWithin } from '../../is-within.ts';
import { enqueueComment } from '../../jobs/queue/enqueue-effect.ts';
import { hasPendingMove } from '../../jobs/queue/has-pending-move.ts';
import { newIssueRow, trackerColumns } from '../../ports/tracker/issue-row.ts';
import { goneFor } from '../../ports/tracker/out-of-sight.ts';
import { logTransition, TRACKER_ACTOR } from '../rows/log-transition.ts';
import type { TrackerIssue } from '../../ports/tracker/tracker.ts';
import { notifyIssueGivenUp } from '../../notifications/notify-issue.ts';
import {
  decideTrackerChange,
  TRACKER_STARTS_WITHIN_MS,
  type TrackerChange,
  type TrackerView,
  whyUnasked,
} from '../decide.ts';

/** Inserts an issue that the tracker shows for the first time; no decision is made about it yet. */
export async function insertIssue(
  deps: Pick<Deps, 'db' | 'clock'>,
  tracker: string,
  issue: TrackerIssue,
): Promise<void> {
  const row = newIssueRow(tracker, issue);
  await commitChange(deps, {
    also: [deps.db.insert(issues).values(row).onConflictDoNothing()],
    events: [issueEvent(row)],
  });
}

/**
 * Decides and stores what a sync with the tracker changes for an issue. Returns false if nothing
 * differs, or if the issue was modified since its row was read; the next sync then decides.
 */
export async function applyTrackerChange(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections'>,
  row: IssueRow,
  attempt: ShownAttempt | null,
  { view, issue }: { view: TrackerView; issue: TrackerIssue | null },
): Promise<boolean> {
  const isOther = isAnotherIssue(row, issue);
  const nowMs = deps.clock.nowMs();
  const starts = (row.tracker_starts_ms ?? []).filter((atMs) =>
    isWithin(nowMs, atMs, TRACKER_STARTS_WITHIN_MS),
  );
  const decided = decideTrackerChange(
    {
      status: row.status,
      state: row.state,
      parkedFingerprint: row.parked_fingerprint,
      waitsToStart: waitsForPerson({ status: row.status, reasonCode: row.reason_code }),
      waitsForPlan: row.status === 'blocked' && row.reason_code === 'plan_waiting',
      isForPullRequest: kindForPullRequest(row) !== null,
      trackerStarts: starts.length,
    },
    attempt === null ? null : liveAttemptOf(attempt),
    isOther ? { kind: 'other' } : view,
  );
  const change = (await isOnItsWay(deps.db, row, view, decided))
    ? { ...decided, status: null, reason: null, code: null }
    : decided;
  const mirrored = {
    ...(issue === null
      ? { unroutable: goneFor(whyUnasked(view)) }
      : trackerColumns(row.tracker, issue)),
    ...(isOther
      ? {
          thread_id: null,
          thread_engine: null,
          branch: null,
          pull_request_url: null,
          plan_request_id: null,
          merging: null,
          reviewing: null,
          workspace_key: keyOfNext(row, issue),
        }
      : {}),
  };
  const differs = mirrorDiffers(row, mirrored);
  const reparked = change.parkedFingerprint !== null;
  if (!differs && !reparked && change.status === null && change.stop === null) return false;

  const fresh = change.wake
    ? {
        run_count: 0,
        failure_count: 0,
        next_retry_at_ms: null,
        parked_fingerprint: null,
        parked_kind: null,
        tracker_starts_ms: [...starts, nowMs],
      }
    : reparked
      ? { parked_fingerprint: change.parkedFingerprint }
      : {};
  // A status that is set here is never `queued`.
  const queuedSince =
    change.status === null ? {} : { queued_since_ms: null, merging: null, reviewing: null };
  const status = change.status ?? row.status;
  const { reason, code } = whyNow(row, issue, change);
  if (differs || reparked || change.status !== null) {
    const set = { ...mirrored, ...fresh, ...queuedSince, status, reason, reason_code: code };
    const committed = await commitChange(deps, {
      swap: swapIssue(deps.db, row, set),
      also: [
        ...(issue === null || issue.state === row.state ? [] : [seenMove(deps, row, issue)]),
        ...(code === 'plan_waiting' ? [] : closePlan(deps.db, deps.clock.nowMs(), row)),
        ...(status === 'blocked' && row.status !== 'blocked'
          ? shownToPeople(deps, row, change)
          : []),
      ],
      events: [
        issueEvent(
          { ...row, status, reason, reason_code: code },
          change.status === 'blocked' ? 'issue.blocked' : 'issue.updated',
        ),
      ],
    });
    // The issue was modified concurrently: the next sync decides from its new row.
    if (!committed) return false;
  }
  if (change.stop !== null && attempt !== null && attempt.cancel_requested_at_ms === null) {
    const whole = await attemptById(deps.db, attempt.attempt_id);
    if (whole !== null)
      await requestCancel(deps, { attempt: whole, issue: row, ...change.stop, kind: 'tracker' });
  }
  return true;
}

/**
 * Notifies people of an issue that a sync has blocked: it waits for a person who may not be
 * watching.
 */
function shownToPeople(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  row: IssueRow,
  { reason, code }: TrackerChange,
): Statement[] {
  if (reason === null || code === null) return [];
  const { tracker, id: issueId, current_attempt_id: attemptId } = row;
  return [
    enqueueComment(db, clock.nowMs(), { tracker, issueId, attemptId }),
    ...notifyIssueGivenUp(db, clock.nowMs(), row, { reason, code }),
  ];
}

/** The issue's reason after the change, with its code. */
function whyNow(row: IssueRow, issue: TrackerIssue | null, change: TrackerChange) {
  if (change.status !== null) return { reason: change.reason, code: change.code };
  const moved = newlyMoved(row, issue);
  const open = issue === null || !isWaitingForParts(row) ? null : openParts(issue.subIssues ?? []);
  if (moved === null && open !== null) return { reason: open, code: row.reason_code };
  return moved === null
    ? { reason: row.reason, code: row.reason_code }
    : { reason: moved, code: 'tracker_excluded' as const };
}

/** Where the issue was transferred, if that is new; shown also for an issue without work. */
function newlyMoved(row: IssueRow, issue: TrackerIssue | null): string | null {
  if (issue?.movedTo === undefined || issue.unroutable === row.unroutable) return null;
  return issue.unroutable ?? null;
}

/**
 * A key of its own for an issue that took over another one's id, so that it does not use that one's
 * folders.
 */
function keyOfNext(row: IssueRow, issue: TrackerIssue | null): string | null {
  if (row.workspace_key === null || issue === null) return row.workspace_key;
  const { tracker, id } = row;
  const identity = identityOf({ tracker, id, native_ref: issue.nativeRef });
  return distinctKey(workspaceKey(issue.identifier), identity);
}

/**
 * Whether the tracker's issue under this id is another one than the recorded issue. Ids are reused,
 * for example when a repository is created again. The same creation time means the same issue, also
 * if its native id is written differently.
 */
function isAnotherIssue(row: IssueRow, issue: TrackerIssue | null): boolean {
  if (issue === null || issue.createdAtMs === row.created_at_ms) return false;
  const { nativeRef: seen } = issue;
  return seen !== null && row.native_ref !== null && seen !== row.native_ref;
}

/**
 * Whether a requeued issue only seems inactive: its own move to an active state is still pending,
 * so its status must stay.
 */
async function isOnItsWay(
  db: Deps['db'],
  row: IssueRow,
  view: TrackerView,
  { status, wake }: TrackerChange,
): Promise<boolean> {
  const isElsewhere = view.kind === 'present' && (view.unroutable ?? null) === null;
  return status === 'idle' && !wake && isElsewhere && (await hasPendingMove(db, row));
}

/**
 * Logs a move that a sync saw first, usually one that somebody made in the tracker: this service
 * mostly records its own moves before.
 */
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
