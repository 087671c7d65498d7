import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { Caller } from '../../../http/caller/caller.ts';
import type { ConfigDeps } from '../../../config/overlay/change-overlay.ts';
import { changeRepoRoutes, requirePosition } from './change-repo-routes.ts';

/** Removes the route at a zero-based position; returns the remaining ones. Throws `not_found`. */
export function removeRepoRoute(
  deps: ConfigDeps,
  input: { caller: Caller; index: number },
): Promise<RepoRoute[]> {
  return changeRepoRoutes(deps, {
    caller: input.caller,
    operation: 'repo-route.remove',
    change: (routes) => {
      requirePosition(routes, input.index);
      return routes.toSpliced(input.index, 1);
    },
  });
}
