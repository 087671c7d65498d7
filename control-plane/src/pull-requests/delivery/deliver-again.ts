import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { FailureKind } from '@switchyard/shared/api/work/attempt';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { and, eq, inArray } from 'drizzle-orm';
import { performNow } from '../../jobs/queue/perform-now.ts';
import type { Statement } from '../../db/database.ts';
import { checksFailed } from '../../attempts/checks/checks-failed.ts';
import { updateAttempt } from '../../attempts/rows/update-attempt.ts';
import { expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { currentAttempt } from '../../attempts/queries.ts';
import { CodeHostError } from '../../ports/code-host/code-host.ts';
import { type AttemptRow, attempts } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { issueConflict, setIssueStatus } from '../../issues/set-issue-status.ts';
import { requireIssue } from '../../issues/queries.ts';
import { notifyPullRequest } from '../../notifications/notify-attempt.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { openOn, pushWork } from './open-pull-request.ts';

/** Ends of an attempt whose work is kept and can be delivered without an agent. */
const UNDELIVERED: FailureKind[] = ['delivery_refused', 'delivery_error'];

type AgainDeps = Pick<
  Deps,
  | ('db' | 'clock' | 'config' | 'calls' | 'sockets')
  | ('codeHosts' | 'service' | 'redactor' | 'events' | 'wake')
>;

/**
 * Repeats only the delivery of work that was refused or given up: pushes the kept commit and opens
 * the pull request; no agent runs. 409 where nothing waits for it, 503 without a runner, 502 with the
 * words of the code host when it refuses again.
 */
export async function deliverAgain(
  deps: AgainDeps,
  input: { identifier: string; caller: Caller },
): Promise<PullRequest> {
  const issue = await requireIssue(deps.db, input.identifier);
  const { caller } = input;
  const { attempt_id: attemptId } = await undelivered(deps.db, issue);
  const wish = {
    key: `${attemptId}:deliver-again`,
    effect: { kind: 'codehost.deliver_again', caller } as const,
    subject: { tracker: issue.tracker, issueId: issue.id, attemptId },
  };
  const pullRequest = await performNow(deps, wish, (done) =>
    deliverAndRecord(deps, issue, caller, [done]),
  );
  deps.wake();
  return pullRequest;
}

async function undelivered(db: Deps['db'], issue: IssueRow): Promise<AttemptRow> {
  const attempt = await currentAttempt(db, issue);
  const { failure_kind: kind = null, base_commit: baseCommit = null } = attempt ?? {};
  // Its runner names the base only of what may be delivered.
  const isKept = kind !== null && UNDELIVERED.includes(kind) && baseCommit !== null;
  // A stop ends the waiting for somebody and keeps the work.
  const waits = issue.status === 'blocked' || issue.status === 'cancelled';
  if (waits && attempt !== null && isKept) {
    await refuseFailed(db, attempt);
    return attempt;
  }
  const message = `no delivery of ${issue.identifier} waits to be repeated; retry it to do the work anew`;
  throw new AppError('conflict', message);
}

/** Its delivery would be taken for work that is ready. */
async function refuseFailed(db: Deps['db'], attempt: AttemptRow): Promise<void> {
  const { epoch, commit_sha: commitSha, identifier } = attempt;
  const failed = await checksFailed(db, attempt, { epoch, commitSha });
  if (failed.length === 0 && attempt.reason_code !== 'checks_failed') return;
  const why = `the work of ${identifier} failed checks of its repository`;
  const names = failed.length === 0 ? '' : ` (${failed.join(', ')})`;
  const next = 'comment how to go on or retry it, or deliver it as a draft';
  throw new AppError('conflict', `${why}${names}; ${next}`, { reason: 'checks_failed' });
}

/**
 * What `deliverAgain` does, and the outbox where its caller's own try was cut off. `done` ends the
 * effect in the batch that records the result.
 */
export async function deliverAndRecord(
  deps: AgainDeps,
  issue: IssueRow,
  caller: Caller,
  done: readonly Statement[],
): Promise<PullRequest> {
  const attempt = await undelivered(deps.db, issue);
  const { pullRequest, ...where } = await deliver(deps, attempt, issue);
  const committed = await setIssueStatus(deps, {
    issue,
    status: 'completed',
    reason: 'pull request opened',
    code: 'pull_request_opened',
    set: { pull_request_url: pullRequest.url, branch: where.branch, failure_count: 0 },
    also: [...delivered(deps, { ...attempt, ...where }, issue, pullRequest), ...done],
    audit: { caller, operation: 'issue.deliver', subject: issue.identifier },
  });
  if (!committed) throw issueConflict(issue);
  return pullRequest;
}

async function deliver(
  deps: AgainDeps,
  attempt: AttemptRow,
  issue: IssueRow,
): Promise<Pick<AttemptRow, 'branch' | 'base_branch'> & { pullRequest: PullRequest }> {
  const host = deps.codeHosts.find((candidate) => candidate.serves(attempt.repository_url));
  if (host === undefined) {
    throw new AppError(
      'conflict',
      `no code host serves ${shownRepository(attempt.repository_url)}`,
    );
  }
  const pushed = await pushWork(deps, attempt, issue);
  try {
    const pullRequest = await openOn(host, deps, pushed, issue);
    return { pullRequest, branch: pushed.branch, base_branch: pushed.base_branch };
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    throw new AppError('upstream_failed', `refused again: ${error.message}`, {
      reason: 'delivery_refused',
    });
  }
}

/** As if it had been delivered at once. */
function delivered(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  attempt: AttemptRow,
  issue: IssueRow,
  { url, draft }: PullRequest,
): Step[] {
  const nowMs = clock.nowMs();
  const { attempt_id: attemptId } = attempt;
  const subject = { tracker: issue.tracker, issueId: issue.id, attemptId };
  const title = `Pull request for ${issue.identifier}`;
  return [
    expectRowsAffected(
      updateAttempt(
        db,
        attempt,
        {
          ...{ status: 'completed', outcome: 'completed', marker: 'DONE' },
          reason_code: 'pull_request_opened',
          ...{ failure_kind: null, error_message: null, pull_request_url: url },
          ...{ branch: attempt.branch, base_branch: attempt.base_branch },
        },
        and(eq(attempts.status, 'failed'), inArray(attempts.failure_kind, UNDELIVERED)),
      ),
    ),
    enqueueEffect(db, nowMs, {
      key: `${attemptId}:attach`,
      effect: { kind: 'tracker.attach', url, title },
      subject,
      repeat: false,
    }),
    enqueueEffect(db, nowMs, {
      key: `${attemptId}:review`,
      effect: { kind: 'tracker.transition', role: 'review' },
      subject,
      repeat: false,
    }),
    ...notifyPullRequest(db, nowMs, attempt, { url, draft }),
  ];
}
