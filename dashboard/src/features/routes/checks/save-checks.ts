import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { replaceRepoRoute } from '../../../api/actions.ts';
import { answer, api } from '../../../api/api.ts';
import type { RepoCheck } from './check-draft.ts';

/**
 * Gives a route other checks; all else about it stays, wherever it stands by now. Throws when it has
 * become another since it was shown.
 */
export async function saveChecks(shown: RepoRoute, checks: RepoCheck[]): Promise<void> {
  const { routes } = await answer(api.setup['repo-routes'].$get({}));
  const index = routes.findIndex((route) => JSON.stringify(route) === JSON.stringify(shown));
  if (index < 0) {
    throw new Error(
      `${shownRepository(shown.url)} was changed or removed meanwhile, so nothing was saved. Close this and look at it again.`,
    );
  }
  const { checks: _before, ...others } = shown;
  await replaceRepoRoute(index, checks.length === 0 ? others : { ...shown, checks });
}
