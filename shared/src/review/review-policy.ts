import { z } from 'zod';
import { MAX_REVIEW_ROUNDS } from './review-rounds.ts';

/**
 * What a review by another agent means for a repository's pull requests. `off`: there is none.
 * `advise`: the author's agent gets what it finds. `require`: also, no pull request is merged by
 * the policy before a review has approved its commit.
 */
export const ReviewMode = z.enum(['off', 'advise', 'require']).meta({ id: 'ReviewMode' });
export type ReviewMode = z.infer<typeof ReviewMode>;

/** Whether and how another agent reads the pull requests of a repository. */
export const ReviewPolicy = z
  .strictObject({
    mode: ReviewMode,
    engine: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The choice of engine that reviews, by its name. Default: that of the issue.'),
    max_rounds: z
      .int()
      .min(0)
      .max(MAX_REVIEW_ROUNDS)
      .optional()
      .describe('How often what it finds goes back to the agent; then a person. Default: 2.'),
    instructions: z
      .string()
      .min(1)
      .max(20_000)
      .optional()
      .describe(
        'What reviews must look at here, as plain text. Default: the built-in prompt alone.',
      ),
  })
  .meta({ id: 'ReviewPolicy' });
export type ReviewPolicy = z.infer<typeof ReviewPolicy>;
