import type { Review, ReviewList } from '@switchyard/shared/api/pull-requests/review';
import { eq } from 'drizzle-orm';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import { pullRequests } from '../../db/schema/work/pull-requests.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { policyFor } from './advance-reviews.ts';
import { reviewCandidates, reviewsOf } from './queries.ts';

/** The newest reviews of a pull request, newest first. Throws a 404 for an unknown one. */
export async function viewReviews(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  pullRequestId: string,
): Promise<ReviewList> {
  const [known] = await db
    .select({ id: pullRequests.id })
    .from(pullRequests)
    .where(eq(pullRequests.id, pullRequestId));
  if (known === undefined)
    throw new AppError('not_found', `pull request ${pullRequestId} not found`);
  const [[candidate], found, settings] = await Promise.all([
    reviewCandidates(db, { pullRequestId }),
    reviewsOf(db, pullRequestId),
    config.load(),
  ]);
  const policy = candidate === undefined ? null : policyFor(candidate, settings);
  return { reviews: found.map(reviewRecord), mode: policy?.mode ?? 'off' };
}

function reviewRecord({ review, run }: Awaited<ReturnType<typeof reviewsOf>>[number]): Review {
  return {
    number: review.number,
    pullRequestId: review.pull_request_id,
    commitSha: review.commit_sha,
    state: review.state,
    verdict: review.verdict,
    summary: review.summary,
    findings: review.findings ?? [],
    findingsLeftOut: review.findings_left_out,
    returned: review.returned,
    reason: review.reason,
    reasonCode: review.reason_code,
    attemptId: review.attempt_id,
    engine: run === null ? null : engineName(run.engine),
    model: run?.model ?? null,
    askedBy: review.asked_by,
    createdAt: new Date(review.created_at_ms).toISOString(),
    updatedAt: new Date(review.updated_at_ms).toISOString(),
  };
}
