import { commitChange } from '../../observe/events/commit-change.ts';
import { countEndedAttempt } from '../../attempts/count-ended-attempt.ts';
import { endAttemptSteps } from '../../attempts/end-attempt-steps.ts';
import { updateAttempt } from '../../attempts/rows/update-attempt.ts';
import { attemptById, attemptWithIssue } from '../../attempts/queries.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { JobRow } from '../../db/schema/operation/jobs.ts';
import type { Deps } from '../../deps.ts';
import { enqueueComment } from '../../jobs/queue/enqueue-effect.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { issueById } from '../../issues/queries.ts';
import { issueEvent } from '../../issues/rows/issue-event.ts';
import { swapIssue } from '../../db/rows/update-issue.ts';
import type { DeliveryDeps } from './connect-delivery.ts';
import { type Delivered, deliverWork } from './deliver-work.ts';
import { keepPullRequest, moveToReview, notifyOfPullRequest } from './keep-pull-request.ts';
import { cutText } from '@switchyard/shared/text/cut-text';

/** How long only the runner with the commit may push; after that any other may try. */
const OWN_RUNNER_MS = 15 * 60_000;
/** Characters of a remote's message that a reason repeats. */
const MAX_WORDS_CHARS = 1_500;

type Opened = Delivered & { attempt: AttemptRow; issue: IssueRow };

/**
 * Opens the pull request of an attempt, after a push if needed; null when the attempt no longer
 * waits for it. Idempotent: a second run finds the same pull request. Throws as `deliverWork`.
 */
export async function openPullRequest(
  deps: DeliveryDeps,
  row: JobRow,
  effect: { push?: boolean | undefined },
): Promise<Opened | null> {
  const pair = await attemptWithIssue(deps.db, row.attempt_id ?? '');
  if (pair === null) throw new JobRefused('the attempt is gone');
  const { attempt, issue } = pair;
  if (attempt.status !== 'running' || attempt.phase !== 'delivering') return null;
  const ageMs = deps.clock.nowMs() - row.created_at_ms;
  const onlyByOwn = attempt.runner_id !== null && ageMs < OWN_RUNNER_MS;
  const push = effect.push === true ? { onlyByOwn, isDelivered: true } : null;
  return { attempt, issue, ...(await deliverWork(deps, attempt, issue, { push })) };
}

/** Completes an attempt whose pull request is open. */
export async function completeDelivery(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'metrics'>,
  { attempt, issue, pullRequest: { url }, branch, base_branch: baseBranch }: Opened,
): Promise<void> {
  // Read again so that concurrent tracker changes are known and do not start the issue again.
  const now = (await issueById(deps.db, issue)) ?? issue;
  const nowMs = deps.clock.nowMs();
  const config = await deps.config.load();
  const { steps } = endAttemptSteps(deps.db, {
    attempt,
    issue: now,
    ending: {
      outcome: 'completed',
      failureKind: null,
      code: 'pull_request_opened',
      message: 'pull request opened',
      marker: 'DONE',
      resetAtMs: null,
    },
    policy: config.agent,
    nowMs,
    facts: { pull_request_url: url, branch, base_branch: baseBranch },
    fence: false,
  });
  const notices = notifyOfPullRequest(deps.db, nowMs, attempt, { url, draft: false });
  const review = moveToReview(deps.db, nowMs, attempt);
  if (await commitChange(deps, { also: [...steps, ...notices, review] })) {
    countEndedAttempt(deps.metrics, attempt, 'completed');
    return;
  }
  // The attempt was stopped in the meantime; its pull request stays, and a person may close it.
  const opened = { attemptId: attempt.attempt_id, url, branch };
  const ended = (await attemptById(deps.db, attempt.attempt_id)) ?? attempt;
  const shown = updateAttempt(deps.db, ended, { pull_request_url: url });
  await keepPullRequest(deps, issue, opened, { also: [shown, ...notices] });
}

/** Records on the issue that a delivery failed and is retried. */
export async function noteRepeatedDelivery(
  deps: Pick<Deps, 'db' | 'clock'>,
  row: JobRow,
  { message, isNews }: { message: string; isNews: boolean },
): Promise<void> {
  const pair = await attemptWithIssue(deps.db, row.attempt_id ?? '');
  if (pair?.attempt.status !== 'running' || pair.issue.status !== 'running') return;
  const { issue } = pair;
  if (!isNews && issue.reason_code === 'delivery_repeated') return;
  const change = {
    reason: cutText(message, MAX_WORDS_CHARS, ' …'),
    reason_code: 'delivery_repeated',
  } as const;
  const nowMs = deps.clock.nowMs();
  const { tracker, id: issueId } = issue;
  await commitChange(deps, {
    swap: swapIssue(deps.db, issue, change),
    also: [enqueueComment(deps.db, nowMs, { tracker, issueId, attemptId: row.attempt_id })],
    events: [issueEvent({ ...issue, ...change })],
    nowMs,
  });
}

/** Gives a delivery up: the issue is blocked with the remote's message, and its work is kept. */
export async function failDelivery(
  deps: Pick<Deps, 'db' | 'clock' | 'metrics' | 'config'>,
  row: JobRow,
  { message, isRefused }: { message: string; isRefused: boolean },
): Promise<void> {
  const pair = await attemptWithIssue(deps.db, row.attempt_id ?? '');
  if (pair === null || pair.attempt.status !== 'running') return;
  const config = await deps.config.load();
  const failureKind = isRefused ? 'delivery_refused' : 'delivery_error';
  const { steps } = endAttemptSteps(deps.db, {
    ...pair,
    ending: {
      outcome: 'failed',
      failureKind,
      code: failureKind,
      message: cutText(`the work could not be delivered: ${message}`, MAX_WORDS_CHARS, ' …'),
      marker: null,
      resetAtMs: null,
    },
    policy: config.agent,
    nowMs: deps.clock.nowMs(),
    fence: true,
  });
  if (await commitChange(deps, { also: steps }))
    countEndedAttempt(deps.metrics, pair.attempt, 'failed');
}
