import { WORK_DONE } from '../../attempts/decide.ts';
import { attemptById } from '../../attempts/queries.ts';
import { requestCancel } from '../../attempts/request-cancel.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { routeForIssue } from '../../config/repositories/route-for-issue.ts';
import type { MergeQueueRow } from '../../db/schema/work/merge-queue.ts';
import type { Deps } from '../../deps.ts';
import { readPause } from '../../issues/pause/queries.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import {
  type Admission,
  decideAdmission,
  ENTERED_BY_POLICY,
  nextToTest,
  type Place,
} from './decide.ts';
import { MAX_PULL_REQUESTS, type MergeCandidate, mergeCandidates, queuedIds } from './queries.ts';
import { mergeRulesOf } from './merge-rules-of.ts';
import { standingOfReview } from '../reviews/decide.ts';
import { isWorkedOn, queued } from './queued.ts';
import { newMergeEntry, QUEUED } from './new-merge-entry.ts';
import { recordMerge } from './record-merge.ts';
import { settleTest } from './settle-test.ts';
import {
  deleteMergeEntry,
  forgetMergeEntry,
  insertMergeEntry,
  moveMergeEntry,
} from './move-merge-entry.ts';

type QueueDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'trackers' | 'service' | 'connections'>;
type InQueue = MergeCandidate & { entry: MergeQueueRow };

/**
 * Brings the merge queue up to date: records merges, decides what follows tests that failed, lets
 * pull requests in and out by the policy of their repository, and starts the next test of each base
 * branch. Idempotent; a row that changes meanwhile is left to the next run.
 */
export async function advanceMergeQueue(deps: QueueDeps): Promise<void> {
  const config = await deps.config.load();
  const byItself = config.repos.filter(({ merge }) => merge?.mode === 'when-green');
  // Ids first: what comes into the queue meanwhile is then no orphan.
  const [ids, others] = await Promise.all([
    queuedIds(deps.db),
    mergeCandidates(deps.db, { openIn: byItself.map(({ url }) => url) }),
  ]);
  const entered = ids.length === 0 ? [] : await mergeCandidates(deps.db, 'queued');
  const found = [...entered, ...others];
  let hasMoved = await dropOrphans(deps.db, ids, entered);
  if (found.length === 0) return;
  for (const candidate of found) hasMoved = (await advance(deps, candidate, config)) || hasMoved;
  if ((await readPause(deps.db)) !== null) return;
  const now = hasMoved ? await mergeCandidates(deps.db, 'queued') : found;
  // A test of a pull request that was ended meanwhile still keeps its base branch busy.
  const waiting = now
    .filter(isInQueue)
    .filter(({ pullRequest, entry }) => pullRequest.status === 'open' || entry.state === 'testing');
  const next = new Set(
    nextToTest(
      waiting.map((one) => queued(deps, one)),
      deps.clock.nowMs(),
    ),
  );
  for (const candidate of waiting)
    if (next.has(candidate.pullRequest.id)) await startTest(deps, candidate);
}

/** Removes entries whose pull request, attempt or issue is gone or became another's. */
async function dropOrphans(
  db: QueueDeps['db'],
  ids: readonly string[],
  known: readonly MergeCandidate[],
): Promise<boolean> {
  // Of more than one read gives, those that are left out are not gone.
  if (known.length >= MAX_PULL_REQUESTS) return false;
  const knownIds = new Set(known.map(({ pullRequest }) => pullRequest.id));
  const orphans = ids.filter((id) => !knownIds.has(id));
  const [first, ...rest] = orphans.map((id) => forgetMergeEntry(db, id));
  if (first !== undefined) await db.batch([first, ...rest]);
  return orphans.length > 0;
}

function isInQueue(candidate: MergeCandidate): candidate is InQueue {
  return candidate.entry !== null;
}

/** Decides about one pull request; true when something was stored. */
async function advance(
  deps: QueueDeps,
  candidate: MergeCandidate,
  config: EffectiveConfig,
): Promise<boolean> {
  const { pullRequest, issue, entry, test } = candidate;
  const route = routeForIssue(issue, config.repos);
  const { policy } = mergeRulesOf(route, pullRequest.repository_url);
  if (isInQueue(candidate)) {
    if (test?.reason_code === 'pull_request_merged' && test.commit_sha !== null)
      return recordMerge(deps, candidate, test.commit_sha);
    const isOpen = pullRequest.status === 'open';
    if (issue.merging === pullRequest.id) {
      const isWanted = candidate.entry.state === 'testing' && isOpen && policy !== null;
      if (!isWanted) return endTest(deps, candidate);
      return issue.status === 'idle' && holdUnready(deps, candidate);
    }
    if (!isOpen) return drop(deps, candidate);
    if (candidate.entry.state === 'testing') return settleTest(deps, candidate, config);
  }
  const { insertions, deletions } = pullRequest.diff_stat;
  const reviewMode = route?.review?.mode ?? 'off';
  const review = standingOfReview(reviewMode, candidate.review, pullRequest.commit_sha);
  const admission = decideAdmission({
    policy,
    pullRequest: {
      commitSha: pullRequest.commit_sha,
      draft: pullRequest.draft,
      changedLines: insertions + deletions,
      filesOutsideScope: candidate.filesOutsideScope,
      review,
    },
    needsApproval: reviewMode === 'require',
    isWorkedOn: isWorkedOn(issue),
    isDone: issue.status === 'completed',
    place: entry === null ? null : placeOf(entry),
  });
  return admit(deps, candidate, admission);
}

function placeOf(entry: MergeQueueRow): Place {
  const { state, commit_sha: commitSha, reason, reason_code: code, entered_by: enteredBy } = entry;
  return { state, commitSha, code, reason, enteredBy };
}

async function admit(
  deps: QueueDeps,
  candidate: MergeCandidate,
  admission: Admission,
): Promise<boolean> {
  const { pullRequest, issue, entry } = candidate;
  if (admission.kind === 'keep') return false;
  if (admission.kind === 'drop') return isInQueue(candidate) && drop(deps, candidate);
  const nowMs = deps.clock.nowMs();
  const place = {
    ...(admission.kind === 'wait'
      ? {
          state: 'waiting' as const,
          reason: QUEUED,
          reason_code: 'merge_queued' as const,
          entered_by: ENTERED_BY_POLICY,
        }
      : { state: 'held' as const, reason: admission.reason, reason_code: admission.code }),
    commit_sha: pullRequest.commit_sha,
    base: pullRequest.base,
    tries: 0,
    not_before_ms: null,
  };
  const { identifier } = issue;
  const steps =
    entry === null
      ? insertMergeEntry(deps.db, newMergeEntry({ pullRequest, issue }, nowMs, place), identifier)
      : moveMergeEntry(deps.db, nowMs, { entry, identifier }, place);
  return commitChange(deps, { also: steps, nowMs });
}

function drop(deps: QueueDeps, { entry, issue }: InQueue): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const also = deleteMergeEntry(deps.db, nowMs, { entry, identifier: issue.identifier });
  return commitChange(deps, { also, nowMs });
}

/** Queues the issue for an attempt that tests the merge. */
function startTest(deps: QueueDeps, { entry, issue }: InQueue): Promise<boolean> {
  const reason = 'the merge of its pull request is tested';
  const code = 'merge_testing';
  const place = { state: 'testing', reason, reason_code: code, attempt_id: null } as const;
  const { identifier } = issue;
  return setIssueStatus(deps, {
    issue,
    status: 'queued',
    reason,
    code,
    set: { merging: entry.pull_request_id },
    also: moveMergeEntry(deps.db, deps.clock.nowMs(), { entry, identifier }, place),
  });
}

/**
 * Ends a test that no runner has yet and that is no longer wanted. One under way ends by itself: its
 * runner is not permitted to push.
 */
async function endTest(
  deps: QueueDeps,
  { pullRequest, entry, issue, test }: InQueue,
): Promise<boolean> {
  const { identifier } = issue;
  const why = WORK_DONE[pullRequest.status];
  if (test === null) {
    const nowMs = deps.clock.nowMs();
    const isHeld = entry.state !== 'testing';
    const also = isHeld ? [] : deleteMergeEntry(deps.db, nowMs, { entry, identifier });
    return setIssueStatus(deps, { issue, status: 'completed', ...why, also });
  }
  if (test.status !== 'queued' || entry.attempt_id === null) return false;
  const attempt = await attemptById(deps.db, entry.attempt_id);
  if (attempt === null) return false;
  const code = 'merge_removed';
  return requestCancel(deps, { attempt, issue, reason: why.reason, code, kind: 'tracker' });
}

/** Holds a pull request whose test dispatch cannot offer before a person acts. */
function holdUnready(deps: QueueDeps, { entry, issue }: InQueue): Promise<boolean> {
  const { identifier } = issue;
  const place = {
    state: 'held',
    reason: issue.reason ?? 'its issue cannot be offered to a runner',
    reason_code: 'merge_failed',
  } as const;
  const also = moveMergeEntry(deps.db, deps.clock.nowMs(), { entry, identifier }, place);
  return setIssueStatus(deps, { issue, status: 'completed', ...WORK_DONE.open, also });
}
