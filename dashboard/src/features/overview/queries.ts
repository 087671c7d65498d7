import { api } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

/** Pull requests that wait for a person's review, newest first. */
export const openPullRequestsQuery = readQuery(['pull-requests', 'open'], (end) =>
  api.local['pull-requests'].$get({ query: { status: 'open' } }, end),
);
