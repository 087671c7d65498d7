import { readReview } from '@switchyard/shared/review/read-review';
import type { ReviewResult } from '@switchyard/shared/review/review-result';
import type { ReviewMode, ReviewPolicy } from '@switchyard/shared/review/review-policy';
import { DEFAULT_REVIEW_ROUNDS } from '@switchyard/shared/review/review-rounds';
import { WORK_DONE } from '../../attempts/decide.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { Deps } from '../../deps.ts';
import type { ReviewRow } from '../../db/schema/work/reviews.ts';
import { setIssueStatus } from '../../issues/set-issue-status.ts';
import { commitChange } from '../../observe/events/commit-change.ts';
import type { FeedbackItem } from '../../ports/code-host/code-host.ts';
import { roundsOf } from '../feedback/queries.ts';
import { enqueueComment } from '../../jobs/queue/enqueue-effect.ts';
import { queueRound } from '../feedback/queue-round.ts';
import { storeReason } from '../feedback/store-reason.ts';
import { afterReview, mayReturn } from './decide.ts';
import { moveReview } from './move-review.ts';
import { type ReviewCandidate, returnedReviews } from './queries.ts';

type SettleDeps = Pick<Deps, 'db' | 'clock' | 'trackers'>;
type Reviewed = ReviewCandidate & { last: ReviewRow };
type Rules = { policy: ReviewPolicy | null; agent: EffectiveConfig['agent'] };

/**
 * Decides what follows a review that no attempt works on any longer. False if a row was modified
 * meanwhile; the next run then decides.
 */
export async function settleReview(
  deps: SettleDeps,
  reviewed: Reviewed,
  rules: Rules,
): Promise<boolean> {
  const { last, issue, run } = reviewed;
  const mode = rules.policy?.mode ?? 'off';
  const nowMs = deps.clock.nowMs();
  // Before an attempt began, its issue says what prevented it.
  if (run === null) return failReview(deps, reviewed, issue.reason ?? 'it was stopped', mode);
  const ended = {
    outcome: run.outcome,
    code: run.reason_code,
    cancelKind: run.cancel_kind,
    message: run.error_message,
    result: run.outcome === 'completed' ? readReview(run.summary ?? '') : null,
  };
  const after = afterReview(ended, last.tries, nowMs);
  if (after.kind === 'done') return keepResult(deps, reviewed, after.result, rules);
  if (after.kind === 'fail') return failReview(deps, reviewed, after.reason, mode);
  const { reason, tries, notBeforeMs } = after;
  const also = moveReview(
    deps.db,
    nowMs,
    { review: last, identifier: issue.identifier },
    {
      state: 'waiting',
      reason,
      reason_code: 'review_repeated',
      tries,
      not_before_ms: notBeforeMs,
    },
  );
  return commitChange(deps, { also, nowMs });
}

/**
 * Ends a review without a verdict. Its issue counts as delivered as before; where the policy
 * requires a review, it says that a person must decide.
 */
export function failReview(
  deps: Pick<Deps, 'db' | 'clock'>,
  { last, issue, pullRequest }: Reviewed,
  reason: string,
  mode: ReviewMode,
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const code = 'review_failed' as const;
  const review = { review: last, identifier: issue.identifier };
  const also = moveReview(deps.db, nowMs, review, { state: 'failed', reason, reason_code: code });
  const needsPerson = mode === 'require' && pullRequest.status === 'open';
  const isOwn = issue.reviewing === pullRequest.id;
  if (isOwn || (needsPerson && issue.status === 'completed')) {
    const why = needsPerson
      ? { reason: `the review of its pull request: ${reason}`, code }
      : WORK_DONE[pullRequest.status];
    return setIssueStatus(deps, { issue, status: 'completed', ...why, also });
  }
  return commitChange(deps, { also, nowMs });
}

/** Stores a verdict, and gives the author's agent what is to be changed. */
async function keepResult(
  deps: SettleDeps,
  { last, issue, pullRequest: row, run }: Reviewed,
  result: ReviewResult,
  { policy, agent }: Rules,
): Promise<boolean> {
  const { db } = deps;
  const nowMs = deps.clock.nowMs();
  const { identifier } = issue;
  const { verdict, summary, findings, leftOut } = result;
  const kept = {
    state: 'done' as const,
    verdict,
    summary,
    findings,
    findings_left_out: leftOut,
    not_before_ms: null,
  };
  const mode = policy?.mode ?? 'off';
  // What changed meanwhile is reviewed again, and what has ended is not worked on.
  const isCurrent = row.status === 'open' && row.commit_sha === last.commit_sha;
  const isForAgent = mode !== 'off' && isCurrent && issue.status === 'completed';
  if (verdict === 'approved' || !isForAgent) {
    const isApproved = verdict === 'approved';
    const also = moveReview(
      db,
      nowMs,
      { review: last, identifier },
      {
        ...kept,
        reason: isApproved ? 'nothing must be changed' : 'it asks for changes',
        reason_code: isApproved ? 'review_approved' : 'review_changes_requested',
      },
    );
    const { tracker, id: issueId } = issue;
    const subject = { tracker, issueId, attemptId: last.attempt_id };
    return commitChange(deps, { also: [...also, enqueueComment(db, nowMs, subject)], nowMs });
  }
  const rounds = await roundsOf(db, row.id);
  const started = mayReturn({
    returned: await returnedReviews(db, row.id),
    maxRounds: policy?.max_rounds ?? DEFAULT_REVIEW_ROUNDS,
    feedbackRounds: rounds.filter((round) => round.started).length,
    maxFeedbackRounds: agent.maxFeedbackAttempts,
  });
  const also = moveReview(
    db,
    nowMs,
    { review: last, identifier },
    {
      ...kept,
      returned: started,
      reason: started ? 'the author’s agent gets what it found' : 'it asks for changes',
      reason_code: 'review_changes_requested',
    },
  );
  const items = feedbackOf(result, { attemptId: last.attempt_id ?? '', run, atMs: nowMs });
  const round = (rounds.at(-1)?.round ?? 0) + 1;
  return queueRound(deps, { row, issue, round, items, started, also });
}

/** Asks a person, because the author's agent was done without changing what a review asks for. */
export function askPerson(
  deps: Pick<Deps, 'db' | 'clock'>,
  { issue, last }: Pick<Reviewed, 'issue' | 'last'>,
): Promise<boolean> {
  const reason = `the agent changed nothing after review ${last.number} of its pull request`;
  return storeReason(deps, issue, { reason, code: 'review_changes_requested' });
}

/** What a review found as feedback, with what must be changed first. */
function feedbackOf(
  { summary, findings }: ReviewResult,
  by: { attemptId: string; run: ReviewCandidate['run']; atMs: number },
): FeedbackItem[] {
  const { attemptId, run, atMs } = by;
  const from = [run?.engine, run?.model].filter((name) => name != null).join(' ');
  const common = { kind: 'finding' as const, from, url: null, atMs };
  const whole =
    summary === ''
      ? []
      : [{ ...common, key: `review:${attemptId}`, path: null, line: null, text: summary }];
  const ordered = findings.toSorted((a, b) => rank(a.severity) - rank(b.severity));
  return [
    ...whole,
    ...ordered.map(({ severity, path, line, text }, at) => ({
      ...common,
      key: `review:${attemptId}:${at + 1}`,
      path,
      line,
      text: severity === 'must' ? `Must be changed: ${text}` : `Could be better: ${text}`,
    })),
  ];
}

function rank(severity: ReviewResult['findings'][number]['severity']): number {
  return severity === 'must' ? 0 : 1;
}
