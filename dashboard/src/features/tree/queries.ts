import { api, withId } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

/** The whole tree that an issue belongs to. */
export const treeQuery = (id: string) =>
  readQuery(['tree', id], (end) => api[':id'].tree.$get(withId(id), end));
