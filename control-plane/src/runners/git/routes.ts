import { GitContext } from '@switchyard/shared/api/work/git-context';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { createGetGitContext } from './get-git-context.ts';

/** Routes that describe the configured repositories. */
export function gitRoutes(deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections'>) {
  return [
    endpoint({
      at: 'GET /api/v1/git/context',
      summary: 'Branches, remotes and routing rules',
      description:
        'Seen by a runner, at most 15 s ago. Without one, or where a repository cannot be reached, `reason` says why branches are missing.',
      answer: json(200, 'The context', GitContext),
      handler: createGetGitContext(deps),
    }),
  ] as const;
}
