import { z } from '@hono/zod-openapi';
import { WorkspaceList } from '@switchyard/shared/api/workspace';
import type { Deps } from '../../deps.ts';
import { createAskRunners } from './ask-runners.ts';
import { listWorkspaces } from './list-workspaces.ts';
import { endpoint, json, nothing } from '../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../http/endpoint/page-limit.ts';
import { removeWorkspace } from './remove-workspace.ts';

const Runner = z.string().min(1).max(128).optional().describe('Only workspaces of this runner.');
const ByKey = z.object({ key: z.string().min(1).max(255).openapi({ example: 'SY-1' }) });

/** Routes of the workspaces (agents' working folders) on the runners' hosts. */
export function workspaceRoutes(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections' | 'service'>,
) {
  const askRunners = createAskRunners(deps);
  return [
    endpoint({
      at: 'GET /api/v1/workspaces',
      summary: 'Workspaces with their disk usage',
      description:
        'Connected runners are asked and have 3 s; what others reported last is shown as `offline`.',
      query: OffsetPage.extend({ runner: Runner }),
      answer: json(200, 'A page of workspaces', WorkspaceList),
      handler: ({ query: { runner: runnerId = null, ...page } }) =>
        listWorkspaces(deps, askRunners, { runnerId, ...page }),
    }),
    endpoint({
      at: 'DELETE /api/v1/workspaces/{key}',
      summary: 'Remove a workspace and free its disk',
      description: '`hooks.beforeRemove` runs in it first.',
      params: ByKey,
      query: z.object({ runner: Runner }),
      answer: nothing('Removed'),
      refusals: {
        409: 'A running attempt uses it, or several runners have one of this key',
        502: 'The runner could not remove it',
        503: 'The runner is offline',
      },
      handler: ({ params: { key }, query: { runner: runnerId = null }, caller }) =>
        removeWorkspace(deps, askRunners, { key, runnerId, caller }),
    }),
  ] as const;
}
