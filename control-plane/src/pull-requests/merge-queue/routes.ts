import { z } from '@hono/zod-openapi';
import { MergeQueue, MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import type { Bound } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import type { enterQueue } from './enter-queue.ts';
import type { leaveQueue } from './leave-queue.ts';
import type { viewEntry, viewQueue } from './view-queue.ts';

const ById = z.object({ id: z.string() });
const NOT_QUEUED = { 404: 'It is not in the merge queue' };

/** Routes of the merge queue; `{id}` is the id of a pull request. */
export function mergeQueueRoutes(deps: {
  viewQueue: Bound<typeof viewQueue>;
  viewEntry: Bound<typeof viewEntry>;
  enterQueue: Bound<typeof enterQueue>;
  leaveQueue: Bound<typeof leaveQueue>;
}) {
  return [
    endpoint({
      at: 'GET /api/v1/merge-queue',
      summary: 'The pull requests that are merged after a test, in their order',
      answer: json(200, 'The queue of every base branch', MergeQueue),
      handler: async () => ({ entries: await deps.viewQueue() }),
    }),
    endpoint({
      at: 'GET /api/v1/merge-queue/{id}',
      summary: 'Where a pull request is in the merge queue',
      params: ById,
      answer: json(200, 'Its place', MergeQueueEntry),
      refusals: NOT_QUEUED,
      handler: ({ params: { id } }) => deps.viewEntry(id),
    }),
    endpoint({
      at: 'POST /api/v1/merge-queue/{id}/enter',
      summary: 'Queue a pull request: its merge is tested, then pushed',
      params: ById,
      answer: json(200, 'Its place', MergeQueueEntry),
      refusals: {
        404: 'No such pull request',
        409: 'It is not open, is a draft or on another code host, or its repository has no merge queue or no checks',
      },
      handler: async ({ params: { id }, caller }) => {
        await deps.enterQueue({ pullRequestId: id, caller });
        return deps.viewEntry(id);
      },
    }),
    endpoint({
      at: 'POST /api/v1/merge-queue/{id}/leave',
      summary: 'Take a pull request out of the merge queue, and stop a test of its merge',
      params: ById,
      answer: json(200, 'Its place', MergeQueueEntry),
      refusals: NOT_QUEUED,
      handler: async ({ params: { id }, caller }) => {
        await deps.leaveQueue({ pullRequestId: id, caller });
        return deps.viewEntry(id);
      },
    }),
  ] as const;
}
