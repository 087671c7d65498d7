import { answer, api, at } from '../../api/api.ts';
import { offsetQuery } from '../../api/read-query.ts';

export const workspacesQuery = offsetQuery(
  ['workspaces'],
  (offset, end) => answer(api.workspaces.$get({ query: { offset } }, end)),
  (page) => page.workspaces,
);

export const removeWorkspace = (key: string, runner: string) =>
  answer(api.workspaces[':key'].$delete({ param: { key: at(key) }, query: { runner } }));
