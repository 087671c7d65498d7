import { z } from '@hono/zod-openapi';
import { ReviewList } from '@switchyard/shared/api/pull-requests/review';
import type { Bound } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import type { askReview } from './ask-review.ts';
import type { viewReviews } from './view-reviews.ts';

const ById = z.object({ id: z.string() });

/** Routes of the reviews of a pull request by agents. */
export function reviewRoutes(deps: {
  viewReviews: Bound<typeof viewReviews>;
  askReview: Bound<typeof askReview>;
}) {
  return [
    endpoint({
      at: 'GET /api/v1/pull-requests/{id}/reviews',
      summary: 'The reviews of a pull request by agents, newest first',
      params: ById,
      answer: json(200, 'Its newest reviews', ReviewList),
      refusals: { 404: 'No such pull request' },
      handler: ({ params: { id } }) => deps.viewReviews(id),
    }),
    endpoint({
      at: 'POST /api/v1/pull-requests/{id}/review',
      summary: 'Have another agent review the present commit of a pull request',
      params: ById,
      answer: json(200, 'Its newest reviews, first the one that begins', ReviewList),
      refusals: {
        404: 'No such pull request',
        409: 'It is not open, is a draft or on another code host, or its issue is worked on',
      },
      handler: async ({ params: { id }, caller }) => {
        await deps.askReview({ pullRequestId: id, caller });
        return deps.viewReviews(id);
      },
    }),
  ] as const;
}
