import { infiniteQueryOptions } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';

export const workspacesQuery = infiniteQueryOptions({
  queryKey: ['workspaces'],
  initialPageParam: 0,
  queryFn: ({ signal, pageParam }) =>
    answer(api.workspaces.$get({ query: { offset: String(pageParam) } }, until(signal))),
  getNextPageParam: (page, pages) => {
    const shown = pages.reduce((sum, each) => sum + each.workspaces.length, 0);
    return shown < page.total && page.workspaces.length > 0 ? shown : null;
  },
});

export const removeWorkspace = (key: string, runner: string) =>
  answer(api.workspaces[':key'].$delete({ param: { key: at(key) }, query: { runner } }));
