import { answer, api, withId } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

/** The reviews of a pull request by agents, newest first. */
export const reviewsQuery = (pullRequestId: string) =>
  readQuery(['reviews', pullRequestId], (end) =>
    api['pull-requests'][':id'].reviews.$get(withId(pullRequestId), end),
  );

export const askForReview = (pullRequestId: string) =>
  answer(api['pull-requests'][':id'].review.$post(withId(pullRequestId)));
