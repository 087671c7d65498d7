import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api, until } from '../../api/api.ts';

export const alertHistoryQuery = (ruleName: string) =>
  infiniteQueryOptions({
    queryKey: ['alerts', ruleName],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = {
        ...(ruleName === '' ? {} : { rule_name: ruleName }),
        ...(pageParam === '' ? {} : { cursor: pageParam }),
      };
      return answer(api.alerts.history.$get({ query }, until(signal)));
    },
    getNextPageParam: (page) => page.nextCursor,
  });
