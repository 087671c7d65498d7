import { answer, api, at } from '../../api/api.ts';
import { readQuery } from '../../api/read-query.ts';

/** Every pull request in a merge queue, in the order of the merges. */
export const mergeQueueQuery = readQuery(['merge-queue'], (end) =>
  api['merge-queue'].$get({}, end),
);

const withPullRequest = (id: string) => ({ param: { id: at(id) } });

export const enterMergeQueue = (id: string) =>
  answer(api['merge-queue'][':id'].enter.$post(withPullRequest(id)));

export const leaveMergeQueue = (id: string) =>
  answer(api['merge-queue'][':id'].leave.$post(withPullRequest(id)));
