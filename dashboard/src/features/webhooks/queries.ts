import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answer, api, until } from '../../api/api.ts';

export const webhookHealthQuery = queryOptions({
  queryKey: ['webhook-health'],
  queryFn: ({ signal }) => answer(api.webhooks.$get({}, until(signal))),
});

export const deadLettersQuery = infiniteQueryOptions({
  queryKey: ['dead-letters'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) => {
    const query = pageParam === '' ? {} : { cursor: pageParam };
    return answer(api.webhooks.dead.$get({ query }, until(signal)));
  },
  getNextPageParam: (page) => page.nextCursor,
});

export const deadLetterQuery = (id: number) =>
  queryOptions({
    queryKey: ['dead-letters', id],
    queryFn: ({ signal }) =>
      answer(api.webhooks.dead[':number'].$get({ param: { number: String(id) } }, until(signal))),
  });

export const replayDeadLetter = (id: number) =>
  answer(api.webhooks.dead[':number'].replay.$post({ param: { number: String(id) } }));
