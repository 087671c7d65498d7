import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { Caller } from '../../../http/caller/caller.ts';
import { type ConfigDeps, changeOverlay } from '../../../config/overlay/change-overlay.ts';
import { AppError } from '../../../errors.ts';
import { setInOverlay } from '../../../config/overlay/set-in-overlay.ts';

type RouteChange = {
  caller: Caller;
  operation: string;
  change: (routes: RepoRoute[]) => RepoRoute[];
};

/**
 * Changes the present list of routes and stores the result in the overlay, which overrides the base
 * file's list. Returns the new list.
 */
export async function changeRepoRoutes(deps: ConfigDeps, input: RouteChange): Promise<RepoRoute[]> {
  let routes: RepoRoute[] = [];
  await changeOverlay(deps, {
    caller: input.caller,
    operation: input.operation,
    subject: 'repos',
    change: (overlay) => {
      const present = deps.config.evaluate(overlay);
      routes = input.change((present.ok ? present.config : deps.config.latest()).repos);
      return setInOverlay(overlay, 'repos', routes);
    },
  });
  return routes;
}

/** Throws `not_found` if there is no route at the zero-based position. */
export function requirePosition(routes: readonly RepoRoute[], index: number): void {
  if (index >= 0 && index < routes.length) return;
  throw new AppError('not_found', `repository route ${index} not found`);
}

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
