import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { WorkspaceList } from '@switchyard/shared/api/workspace';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { createAskRunners } from './ask-runners.ts';
import { listWorkspaces } from './list-workspaces.ts';
import { removeWorkspace } from './remove-workspace.ts';

const Runner = z.string().min(1).max(128).optional().describe('Only workspaces of this runner.');
const Page = z.object({
  runner: Runner,
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});
const Params = z.object({ key: z.string().min(1).max(255).openapi({ example: 'SY-1' }) });

/** Folders in which agents work, on the hosts of the runners. */
export function workspaceRoutes(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'sockets' | 'calls' | 'service'>,
) {
  const askRunners = createAskRunners(deps);
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/workspaces',
        summary: 'Workspaces with their disk usage',
        description:
          'Connected runners are asked and have 3 s; what others reported last is shown as `offline`.',
        request: { query: Page },
        responses: {
          200: {
            description: 'A page of workspaces',
            content: { 'application/json': { schema: WorkspaceList } },
          },
          ...errorResponses(400),
        },
      }),
      handler: async (c) => {
        const { runner: runnerId = null, limit, offset } = c.req.valid('query');
        return c.json(await listWorkspaces(deps, askRunners, { runnerId, limit, offset }), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'delete',
        path: '/api/v1/workspaces/{key}',
        summary: 'Remove a workspace and free its disk',
        description: '`hooks.beforeRemove` runs in it first.',
        request: { params: Params, query: z.object({ runner: Runner }) },
        responses: {
          204: { description: 'Removed' },
          ...errorResponses(400, 403, 404, 409, 502, 503),
        },
      }),
      handler: async (c) => {
        const { runner: runnerId = null } = c.req.valid('query');
        const input = { key: c.req.valid('param').key, runnerId, caller: callerOf(c) };
        await removeWorkspace(deps, askRunners, input);
        return c.body(null, 204);
      },
    }),
  ] as const;
}
