import { answer, api, at } from '../../api/api.ts';
import { offsetQuery } from '../../api/read-query.ts';

export const secretsQuery = offsetQuery(
  ['secrets'],
  (offset, end) => answer(api.secrets.$get({ query: { offset } }, end)),
  (page) => page.keys,
);

export const setSecret = (key: string, value: string) =>
  answer(api.secrets[':key'].$post({ param: { key: at(key) }, json: { value } }));

export const deleteSecret = (key: string) =>
  answer(api.secrets[':key'].$delete({ param: { key: at(key) } }));
