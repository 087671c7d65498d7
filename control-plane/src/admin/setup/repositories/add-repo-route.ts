import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { Caller } from '../../../http/caller/caller.ts';
import type { ConfigDeps } from '../../../config/overlay/change-overlay.ts';
import { repoRouteProblems } from '../../../config/repositories/repo-route-problems.ts';
import { newRouteFaults } from '../../../config/repositories/route-faults.ts';
import { AppError, type ErrorDetail } from '../../../errors.ts';
import { changeRepoRoutes, requirePosition } from './change-repo-routes.ts';
import { type AddressDeps, readAddress } from './read-address.ts';

/**
 * Adds a route after the present ones, or replaces the one at `index`; returns all routes and the
 * interpreted url. Throws `bad_request` for an unusable url, an impossible branch, or a prefix or
 * label that is already routed, and `not_found` for a position without a route.
 */
export async function addRepoRoute(
  deps: ConfigDeps & AddressDeps,
  input: { caller: Caller; route: RepoRoute; index?: number },
): Promise<{ routes: RepoRoute[]; route: RepoRoute }> {
  const { label } = input.route;
  const url = await readAddress(deps, input.route.url, label === undefined ? [] : [label]);
  const route = { ...input.route, url };
  refuse(repoRouteProblems(route));
  const added = await changeRepoRoutes(deps, {
    caller: input.caller,
    operation: input.index === undefined ? 'repo-route.add' : 'repo-route.replace',
    change: (routes) => {
      const { index } = input;
      if (index !== undefined) requirePosition(routes, index);
      const next = index === undefined ? [...routes, route] : routes.with(index, route);
      const unusable = newRouteFaults(routes, next);
      refuse(unusable.map(({ field, message }) => ({ path: field, message })));
      return next;
    },
  });
  return { routes: added, route };
}

function refuse(details: ErrorDetail[]): void {
  const [first] = details;
  if (first === undefined) return;
  const message = `${first.path}: ${first.message}`;
  throw new AppError('bad_request', message, { reason: 'invalid_input', details });
}
