import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { RepoRoute, RepoRouteList } from '@switchyard/shared/api/admin/repo-route';
import type { ConfigDeps } from '../config/overlay/change-overlay.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { jsonContent } from '../../json-content.ts';
import { addRepoRoute } from './repositories/add-repo-route.ts';
import { removeRepoRoute } from './repositories/remove-repo-route.ts';

const IndexParams = z.object({
  index: z
    .string()
    .regex(/^(0|[1-9]\d{0,8})$/)
    .describe('Zero-based position in the list.'),
});

/** Which repository an issue belongs to. */
export function setupRoutes(deps: ConfigDeps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/setup/repo-routes',
        summary: 'Repository routes in order',
        responses: { 200: jsonContent('The routes', RepoRouteList), ...errorResponses() },
      }),
      handler: async (c) => c.json({ routes: (await deps.config.load()).repos }, 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/setup/repo-route',
        summary: 'Add a repository route',
        request: { body: { required: true, ...jsonContent('The route', RepoRoute) } },
        responses: {
          201: jsonContent('All routes', RepoRouteList),
          ...errorResponses(400, 403, 409, 413, 415),
        },
      }),
      handler: async (c) => {
        const input = { caller: callerOf(c), route: c.req.valid('json') };
        return c.json({ routes: await addRepoRoute(deps, input) }, 201);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'delete',
        path: '/api/v1/setup/repo-route/{index}',
        summary: 'Remove the route at a position',
        request: { params: IndexParams },
        responses: {
          200: jsonContent('The routes left', RepoRouteList),
          ...errorResponses(403, 404, 409),
        },
      }),
      handler: async (c) => {
        const input = { caller: callerOf(c), index: Number(c.req.valid('param').index) };
        return c.json({ routes: await removeRepoRoute(deps, input) }, 200);
      },
    }),
  ] as const;
}
