import type { ReviewPolicy } from '@switchyard/shared/review/review-policy';
import { attemptById } from '../../attempts/queries.ts';
import { requestCancel } from '../../attempts/request-cancel.ts';
import { routeForIssue } from '../../config/repositories/route-for-issue.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { ReviewRow } from '../../db/schema/work/reviews.ts';
import type { Deps } from '../../deps.ts';
import { readPause } from '../../issues/pause/queries.ts';
import { beginReview } from './begin-review.ts';
import { decideReview, type ReviewPlace } from './decide.ts';
import { type ReviewCandidate, reviewCandidates } from './queries.ts';
import { askPerson, failReview, settleReview } from './settle-review.ts';

type ReviewDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'trackers' | 'connections'>;

/**
 * Brings the reviews of pull requests up to date: begins those that the policy of a repository asks
 * for, and decides what follows those that have ended. Idempotent; a row that changes meanwhile is
 * left to the next run.
 */
export async function advanceReviews(deps: ReviewDeps): Promise<void> {
  const config = await deps.config.load();
  const reviewed = config.repos.filter(({ review }) => (review?.mode ?? 'off') !== 'off');
  const openIn = reviewed.map(({ url }) => url);
  const candidates = await reviewCandidates(deps.db, { openIn });
  if (candidates.length === 0) return;
  const isPaused = (await readPause(deps.db)) !== null;
  for (const candidate of candidates) await advance(deps, candidate, { config, isPaused });
}

async function advance(
  deps: ReviewDeps,
  candidate: ReviewCandidate,
  { config, isPaused }: { config: EffectiveConfig; isPaused: boolean },
): Promise<void> {
  const { pullRequest, issue, last } = candidate;
  const policy = policyFor(candidate, config);
  const step = decideReview({
    mode: policy?.mode ?? 'off',
    pullRequest: {
      isOpen: pullRequest.status === 'open',
      draft: pullRequest.draft,
      commitSha: pullRequest.commit_sha,
    },
    issue: {
      status: issue.status,
      code: issue.reason_code,
      isReviewing: issue.reviewing === pullRequest.id,
      onTrial: issue.on_trial,
    },
    last: last && placeOf(last),
    isPaused,
    nowMs: deps.clock.nowMs(),
  });
  if (step.kind === 'keep') return;
  if (step.kind === 'begin') {
    await beginReview(deps, candidate, 'policy');
    return;
  }
  if (last === null) return;
  const reviewed = { ...candidate, last };
  const mode = policy?.mode ?? 'off';
  if (step.kind === 'repeat') await beginReview(deps, candidate, 'again');
  else if (step.kind === 'settle')
    await settleReview(deps, reviewed, { policy, agent: config.agent });
  else if (step.kind === 'fail') await failReview(deps, reviewed, step.reason, mode);
  else if (step.kind === 'ask-person') await askPerson(deps, reviewed);
  else await stopReview(deps, reviewed);
}

/** The policy of a pull request's repository now; null: it has none. */
export function policyFor(
  { pullRequest, issue }: Pick<ReviewCandidate, 'pullRequest' | 'issue'>,
  { repos }: Pick<EffectiveConfig, 'repos'>,
): ReviewPolicy | null {
  const route = routeForIssue(issue, repos);
  return route?.url === pullRequest.repository_url ? (route.review ?? null) : null;
}

function placeOf(review: ReviewRow): ReviewPlace {
  const { state, commit_sha: commitSha, verdict, returned, not_before_ms: notBeforeMs } = review;
  return { state, commitSha, verdict, returned, notBeforeMs };
}

/** Stops a review whose pull request has ended. */
async function stopReview(
  deps: ReviewDeps,
  reviewed: ReviewCandidate & { last: ReviewRow },
): Promise<void> {
  const { pullRequest, issue, last } = reviewed;
  const reason = `its pull request is ${pullRequest.status}`;
  const attempt = last.attempt_id === null ? null : await attemptById(deps.db, last.attempt_id);
  if (attempt === null) {
    await failReview(deps, reviewed, reason, 'off');
    return;
  }
  if (attempt.cancel_requested_at_ms !== null) return;
  const code = pullRequest.status === 'merged' ? 'pull_request_merged' : 'pull_request_closed';
  await requestCancel(deps, { attempt, issue, reason, code, kind: 'tracker' });
}
