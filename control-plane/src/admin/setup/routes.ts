import { z } from '@hono/zod-openapi';
import { RepoRoute, RepoRouteAdded, RepoRouteList } from '@switchyard/shared/api/admin/repo-route';
import type { ConfigDeps } from '../../config/overlay/change-overlay.ts';
import { addRepoRoute } from './repositories/add-repo-route.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { probeRoute } from './repositories/probe-route.ts';
import type { AddressDeps } from './repositories/read-address.ts';
import { removeRepoRoute } from './repositories/change-repo-routes.ts';

const ByIndex = z.object({
  index: z
    .string()
    .regex(/^(0|[1-9]\d{0,8})$/)
    .describe('Zero-based position in the list.'),
});

const CHANGING = { 409: 'The configuration is being changed by others; try again' };

/** Routes that manage which repository an issue belongs to. */
export function setupRoutes(deps: ConfigDeps & AddressDeps) {
  return [
    endpoint({
      at: 'GET /api/v1/setup/repo-routes',
      summary: 'Repository routes in order',
      answer: json(200, 'The routes', RepoRouteList),
      handler: async () => ({ routes: (await deps.config.load()).repos }),
    }),
    endpoint({
      at: 'POST /api/v1/setup/repo-route',
      summary: 'Add a repository route',
      description:
        'The url may also be a path on the runner (/srv/app.git, ~/app.git), owner/name, or a page of a repository on GitHub. A repository on the runner is looked at right away.',
      body: RepoRoute,
      answer: json(201, 'All routes, and what a runner found of the new one', RepoRouteAdded),
      refusals: CHANGING,
      handler: async ({ body, caller }) => {
        const { routes, route } = await addRepoRoute(deps, { caller, route: body });
        return { routes, url: route.url, ...(await probeRoute(deps, route)) };
      },
    }),
    endpoint({
      at: 'PUT /api/v1/setup/repo-route/{index}',
      summary: 'Put another repository route in the place of the one at a position',
      params: ByIndex,
      body: RepoRoute,
      answer: json(200, 'All routes, and what a runner found of the new one', RepoRouteAdded),
      refusals: CHANGING,
      handler: async ({ params, body, caller }) => {
        const index = Number(params.index);
        const { routes, route } = await addRepoRoute(deps, { caller, route: body, index });
        return { routes, url: route.url, ...(await probeRoute(deps, route)) };
      },
    }),
    endpoint({
      at: 'DELETE /api/v1/setup/repo-route/{index}',
      summary: 'Remove the route at a position',
      params: ByIndex,
      answer: json(200, 'The routes left', RepoRouteList),
      refusals: CHANGING,
      handler: async ({ params, caller }) => ({
        routes: await removeRepoRoute(deps, { caller, index: Number(params.index) }),
      }),
    }),
  ] as const;
}
