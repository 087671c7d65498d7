import type { RepoRoute } from '@switchyard/shared/api/repo-route';
import type { Caller } from '../audit/caller.ts';
import type { ConfigDeps } from '../config/change-overlay.ts';
import { changeRepoRoutes } from './change-repo-routes.ts';

/** Adds a route behind the present ones; returns all. Throws `bad_request` for an unusable url. */
export function addRepoRoute(
  deps: ConfigDeps,
  input: { caller: Caller; route: RepoRoute },
): Promise<RepoRoute[]> {
  return changeRepoRoutes(deps, {
    caller: input.caller,
    operation: 'repo-route.add',
    change: (routes) => [...routes, input.route],
  });
}
