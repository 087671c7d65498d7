import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';

export const automationsQuery = queryOptions({
  queryKey: ['automations'],
  queryFn: ({ signal }) => answer(api.automations.$get({}, until(signal))),
});

export const automationRunsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: ['automation-runs', name],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = {
        ...(name === '' ? {} : { automation_name: name }),
        ...(pageParam === '' ? {} : { cursor: pageParam }),
      };
      return answer(api.automations.runs.$get({ query }, until(signal)));
    },
    getNextPageParam: (page) => page.nextCursor,
  });

export const runAutomation = (name: string) =>
  answer(
    api.automations[':name'].run.$post(
      { param: { name: at(name) } },
      { init: { keepalive: true } },
    ),
  );
