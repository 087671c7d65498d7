import { queryOptions } from '@tanstack/react-query';
import { answer, api, until } from '../../api/api.ts';

/** Pull requests that wait for a person's review, newest first. */
export const openPullRequestsQuery = queryOptions({
  queryKey: ['pull-requests', 'open'],
  queryFn: ({ signal }) =>
    answer(api.local['pull-requests'].$get({ query: { status: 'open' } }, until(signal))),
});
