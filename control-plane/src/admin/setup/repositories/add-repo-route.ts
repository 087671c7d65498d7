import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { Caller } from '../../../observe/audit/caller.ts';
import type { ConfigDeps } from '../../config/overlay/change-overlay.ts';
import { repoRouteProblems } from '../../config/repositories/repo-route-problems.ts';
import { AppError } from '../../../errors.ts';
import { changeRepoRoutes } from './change-repo-routes.ts';

/** Adds a route behind the present ones; returns all. Throws `bad_request` for an unusable url. */
export async function addRepoRoute(
  deps: ConfigDeps,
  input: { caller: Caller; route: RepoRoute },
): Promise<RepoRoute[]> {
  const details = repoRouteProblems(input.route);
  const [first] = details;
  if (first !== undefined) {
    const message = `${first.path}: ${first.message}`;
    throw new AppError('bad_request', message, { reason: 'invalid_input', details });
  }
  return changeRepoRoutes(deps, {
    caller: input.caller,
    operation: 'repo-route.add',
    change: (routes) => [...routes, input.route],
  });
}
