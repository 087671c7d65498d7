import { createRoute, defineOpenAPIRoute } from '@hono/zod-openapi';
import { GitContext } from '@switchyard/shared/api/work/git-context';
import type { Deps } from '../../deps.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { createGetGitContext } from './get-git-context.ts';

/** What the repositories look like. */
export function gitRoutes(deps: Pick<Deps, 'db' | 'clock' | 'config' | 'sockets' | 'calls'>) {
  const getGitContext = createGetGitContext(deps);
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/git/context',
        summary: 'Branches, remotes and routing rules',
        description:
          'Seen by a runner, at most 15 s ago. Without one, or where a repository cannot be reached, `reason` says why branches are missing.',
        responses: {
          200: {
            description: 'The context',
            content: { 'application/json': { schema: GitContext } },
          },
          ...errorResponses(),
        },
      }),
      handler: async (c) => c.json(await getGitContext(), 200),
    }),
  ] as const;
}
