import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { commitChange } from '../../observe/events/commit-change.ts';
import { countRun } from '../../attempts/count-run.ts';
import { endAttemptSteps } from '../../attempts/end-attempt-steps.ts';
import { attemptWithIssue } from '../../attempts/queries.ts';
import { pullRequestText } from '../pull-request-text.ts';
import type { CodeHost } from '../code-host.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { JobRow } from '../../db/schema/operation/jobs.ts';
import type { Deps } from '../../deps.ts';
import { notifyPullRequest } from '../../people/notifications/notify-attempt.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { isOwnBranch, OWN_BRANCH_PREFIX } from '@switchyard/shared/protocol/is-own-branch';

/**
 * Opens the pull request of a delivered attempt and completes the attempt with it. Doing it twice
 * finds the same pull request and changes nothing.
 */
export async function openPullRequest(deps: Deps, row: JobRow): Promise<void> {
  const pair = await attemptWithIssue(deps.db, row.attempt_id ?? '');
  if (pair === null) throw new JobRefused('the attempt is gone');
  const { attempt, issue } = pair;
  if (attempt.status !== 'running' || attempt.phase !== 'delivering') return;
  const host = deps.codeHosts.find((candidate) => candidate.serves(attempt.repository_url));
  if (host === undefined) throw new JobRefused(`no code host serves ${attempt.repository_url}`);
  const { url } = await openOn(host, deps, attempt, issue);
  const nowMs = deps.clock.nowMs();
  const config = await deps.config.load();
  const subject = { tracker: issue.tracker, issueId: issue.id, attemptId: attempt.attempt_id };
  const { steps } = endAttemptSteps(deps.db, {
    attempt,
    issue,
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
    facts: { pull_request_url: url },
    fence: false,
  });
  const also = [
    ...steps,
    enqueueEffect(deps.db, nowMs, {
      key: `${attempt.attempt_id}:attach`,
      effect: { kind: 'tracker.attach', url, title: `Pull request for ${issue.identifier}` },
      subject,
      repeat: false,
    }),
    enqueueEffect(deps.db, nowMs, {
      key: `${attempt.attempt_id}:review`,
      effect: { kind: 'tracker.transition', role: 'review' },
      subject,
      repeat: false,
    }),
    ...notifyPullRequest(deps.db, nowMs, attempt, { url, draft: false }),
  ];
  // Where somebody stopped the attempt meanwhile, the pull request stays for a person to close.
  if (await commitChange(deps, { also })) countRun(deps.metrics, 'completed');
}

/** Opens or updates the pull request of what an attempt pushed. Throws CodeHostError. */
export async function openOn(
  host: CodeHost,
  deps: Pick<Deps, 'service'>,
  attempt: AttemptRow,
  issue: IssueRow,
): Promise<PullRequest> {
  const { branch, base_branch: base, base_commit: baseCommit, commit_sha: commitSha } = attempt;
  if (branch === null || base === null || baseCommit === null || commitSha === null) {
    throw new JobRefused('the runner reported no branch, base or commit');
  }
  // Else the credentials of the service would rewrite a person's pull request from that branch.
  if (!isOwnBranch(branch)) {
    throw new JobRefused(`the runner reported a branch outside ${OWN_BRANCH_PREFIX}`);
  }
  const diffStat = attempt.diff_stat ?? { files: 0, insertions: 0, deletions: 0 };
  const origin = deps.service.publicOrigin;
  const text = pullRequestText({
    issue,
    summary: attempt.summary,
    diffStat,
    attempt: {
      number: attempt.number,
      url:
        origin === null
          ? null
          : `${origin}/issues/${encodeURIComponent(issue.identifier)}?attempt=${attempt.attempt_id}`,
    },
    draft: false,
  });
  return host.openPullRequest({
    repositoryUrl: attempt.repository_url,
    branch,
    base,
    baseCommit,
    commitSha,
    ...text,
    draft: false,
    diffStat,
    diffBlob: attempt.diff_blob,
    issueIdentifier: issue.identifier,
    attemptId: attempt.attempt_id,
  });
}

/** The delivery is given up: the attempt failed, with the code host's words. */
export async function failDelivery(
  deps: Deps,
  row: JobRow,
  { message, isRefused }: { message: string; isRefused: boolean },
): Promise<void> {
  const pair = await attemptWithIssue(deps.db, row.attempt_id ?? '');
  if (pair === null || pair.attempt.status !== 'running') return;
  const config = await deps.config.load();
  const { steps } = endAttemptSteps(deps.db, {
    ...pair,
    ending: {
      outcome: 'failed',
      failureKind: isRefused ? 'delivery_refused' : 'delivery_error',
      code: isRefused ? 'delivery_refused' : 'delivery_error',
      message: `the pull request could not be opened: ${message}`,
      marker: null,
      resetAtMs: null,
    },
    policy: config.agent,
    nowMs: deps.clock.nowMs(),
    fence: true,
  });
  if (await commitChange(deps, { also: steps })) countRun(deps.metrics, 'failed');
}
