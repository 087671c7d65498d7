import { queryOptions } from '@tanstack/react-query';
import { answer, api, until } from '../../api/api.ts';

/**
 * The repositories as a runner sees them; rarely refetched, since every request makes the runner
 * fetch.
 */
export const gitContextQuery = queryOptions({
  queryKey: ['git-context'],
  queryFn: ({ signal }) => answer(api.git.context.$get({}, until(signal))),
  staleTime: 60_000,
  refetchInterval: 120_000,
});
