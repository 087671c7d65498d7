import { z } from 'zod';
import { namedObject } from '../../named-object.ts';
import { ReviewFinding, ReviewVerdict } from '../../review/review-result.ts';
import { ReviewMode } from '../../review/review-policy.ts';
import { ReasonCode } from '../work/reason-code.ts';

/**
 * How a review stands. `waiting`: it is repeated later. `running`: it waits for a runner, or its
 * agent reads. `done`: it has a verdict. `failed`: it ended without one, and is not repeated.
 */
export const ReviewState = z
  .enum(['waiting', 'running', 'done', 'failed'])
  .meta({ id: 'ReviewState' });
export type ReviewState = z.infer<typeof ReviewState>;

/** A review of one commit of a pull request by an agent other than its author's. */
export const Review = namedObject('Review', {
  /** Counts the reviews of a pull request, from 1. */
  number: z.int(),
  pullRequestId: z.string(),
  /** The commit that it is about. */
  commitSha: z.string(),
  state: ReviewState,
  verdict: ReviewVerdict.nullable(),
  /** What the reviewing agent says about the whole change; null without a verdict. */
  summary: z.string().nullable(),
  findings: z.array(ReviewFinding),
  /** Findings beyond the limit, which were not kept. */
  findingsLeftOut: z.int(),
  /** Whether the author's agent was given what it found. */
  returned: z.boolean(),
  /** Why it is as it is, for people. */
  reason: z.string(),
  reasonCode: ReasonCode,
  /** The attempt that reviews, or did so last; null: none has begun. */
  attemptId: z.string().nullable(),
  /** Engine and model of that attempt; null before it begins. */
  engine: z.string().nullable(),
  model: z.string().nullable(),
  /** Who asked for it; `service`: the policy of the repository. */
  askedBy: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Review = z.infer<typeof Review>;

/** The newest reviews of a pull request, newest first. */
export const ReviewList = namedObject('ReviewList', {
  reviews: z.array(Review),
  /** The mode that the repository's policy has now. */
  mode: ReviewMode,
});
export type ReviewList = z.infer<typeof ReviewList>;
