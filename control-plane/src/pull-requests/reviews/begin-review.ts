import type { Deps } from '../../deps.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { insertReview, moveReview } from './move-review.ts';
import type { ReviewCandidate } from './queries.ts';

/** Who asks for the reviews that the policy of a repository asks for. */
const ASKED_BY_POLICY = 'service';

const RUNNING = {
  state: 'running',
  reason: 'another agent reviews the pull request',
  reason_code: 'review_running',
} as const;

/**
 * Queues an issue for an attempt that reviews its pull request: a review of the present commit, at a
 * person's request if there is a caller, or `again` the newest one. False if a row was modified since
 * it was read.
 */
export function beginReview(
  deps: Pick<Deps, 'db' | 'clock'>,
  { pullRequest, issue, last }: ReviewCandidate,
  asked: { caller: Caller } | 'policy' | 'again',
): Promise<boolean> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const { identifier } = issue;
  const caller = typeof asked === 'object' ? asked.caller : null;
  const number = (last?.number ?? 0) + 1;
  const also =
    asked === 'again' && last !== null
      ? moveReview(db, nowMs, { review: last, identifier }, { ...RUNNING, attempt_id: null })
      : insertReview(
          db,
          {
            pull_request_id: pullRequest.id,
            number,
            tracker: issue.tracker,
            issue_id: issue.id,
            commit_sha: pullRequest.commit_sha,
            asked_by: caller?.actor ?? ASKED_BY_POLICY,
            created_at_ms: nowMs,
            ...RUNNING,
          },
          identifier,
        );
  const details = { id: pullRequest.id, number, commitSha: pullRequest.commit_sha };
  return setIssueStatus(deps, {
    issue,
    status: 'queued',
    reason: 'another agent reviews its pull request',
    code: 'review_running',
    set: { reviewing: pullRequest.id },
    also,
    ...(caller === null
      ? {}
      : { audit: { caller, operation: 'pull_request.review', subject: identifier, details } }),
  });
}
