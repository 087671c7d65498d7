import { queryOptions } from '@tanstack/react-query';
import { answer, api, until } from '../../api/api.ts';

/** What a runner sees of the repositories: seldom asked, because every look is a fetch. */
export const gitContextQuery = queryOptions({
  queryKey: ['git-context'],
  queryFn: ({ signal }) => answer(api.git.context.$get({}, until(signal))),
  staleTime: 60_000,
  refetchInterval: 120_000,
});
