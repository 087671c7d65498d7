import { isOwnBranch, OWN_BRANCH_PREFIX } from '@switchyard/shared/branch/is-own-branch';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { AppError } from '../../errors.ts';
import { JobRefused } from '../../jobs/queue/run-jobs.ts';
import { CodeHostError } from '../../ports/code-host/code-host.ts';
import type { DeliveryDeps } from './connect-delivery.ts';

type DeliverOptions = {
  /** How a runner pushes the commit first; null: it is pushed already. */
  push: { onlyByOwn?: boolean; isDelivered: boolean } | null;
  /** Unfinished work, with what is wrong with it. */
  draft?: { problems: string[] };
};

/** A pull request with the branches that its work was pushed to and started from. */
export type Delivered = Pick<AttemptRow, 'branch' | 'base_branch'> & { pullRequest: PullRequest };

export const NO_CHANGE = { files: 0, insertions: 0, deletions: 0 };

class NoCodeHost extends CodeHostError {}

/**
 * Opens or updates the pull request of an attempt's commit, after a push if needed. Idempotent.
 * Throws JobRefused without a commit or with a foreign branch, CodeHostError, and as `pushKeptWork`.
 */
export async function deliverWork(
  deps: Pick<DeliveryDeps, 'codeHosts' | 'pushKeptWork' | 'writePullRequest'>,
  attempt: AttemptRow,
  issue: IssueRow,
  { push, draft }: DeliverOptions,
): Promise<Delivered> {
  const { repository_url: repositoryUrl, commit_sha: commitSha, base_commit: baseCommit } = attempt;
  const host = deps.codeHosts.find((candidate) => candidate.serves(repositoryUrl));
  if (host === undefined) {
    const message = `no code host serves ${shownRepository(repositoryUrl)}`;
    throw new NoCodeHost(message, { retryable: false });
  }
  if (attempt.branch === null || commitSha === null || baseCommit === null)
    throw new JobRefused(`no commit of ${issue.identifier} is kept`);
  // Otherwise the service could overwrite the pull request of a person's own branch.
  if (!isOwnBranch(attempt.branch))
    throw new JobRefused(`the runner reported a branch outside ${OWN_BRANCH_PREFIX}`);
  const kept = { commitSha, branch: attempt.branch, ...push };
  const { branch, base } =
    push === null
      ? { branch: attempt.branch, base: attempt.base_branch }
      : await deps.pushKeptWork(attempt, issue, kept);
  if (base === null) throw new JobRefused('the runner reported no base branch');
  const pushed = { ...attempt, branch, base_branch: base };
  const isDraft = draft !== undefined;
  const text = await deps.writePullRequest({
    issue,
    attempt: pushed,
    commitSha,
    summary: attempt.summary,
    draft: isDraft,
    problems: draft?.problems ?? [],
  });
  const pullRequest = await host.openPullRequest({
    ...text,
    repositoryUrl,
    branch,
    base,
    baseCommit,
    commitSha,
    draft: isDraft,
    diffStat: attempt.diff_stat ?? NO_CHANGE,
    diffBlob: attempt.diff_blob,
    issueIdentifier: issue.identifier,
    attemptId: attempt.attempt_id,
  });
  return { pullRequest, branch, base_branch: base };
}

/**
 * As `deliverWork`, for a person who waits: the code host's refusal is a 502 with its message, and
 * a 503 when none serves the repository.
 */
export async function deliverForPerson(
  ...given: Parameters<typeof deliverWork>
): Promise<Delivered> {
  try {
    return await deliverWork(...given);
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    if (error instanceof NoCodeHost) throw new AppError('unavailable', error.message);
    const options = error.retryable ? {} : { reason: 'delivery_refused' };
    throw new AppError('upstream_failed', error.message, options);
  }
}
