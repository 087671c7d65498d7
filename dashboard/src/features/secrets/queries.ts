import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';

export const secretsQuery = infiniteQueryOptions({
  queryKey: ['secrets'],
  initialPageParam: 0,
  queryFn: ({ signal, pageParam }) =>
    answer(api.secrets.$get({ query: { offset: String(pageParam) } }, until(signal))),
  getNextPageParam: (page, pages) => {
    const shown = pages.reduce((sum, each) => sum + each.keys.length, 0);
    return shown < page.total && page.keys.length > 0 ? shown : null;
  },
});

export const setSecret = (key: string, value: string) =>
  answer(api.secrets[':key'].$post({ param: { key: at(key) }, json: { value } }));

export const deleteSecret = (key: string) =>
  answer(api.secrets[':key'].$delete({ param: { key: at(key) } }));
