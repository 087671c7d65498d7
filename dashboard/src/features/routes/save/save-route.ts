import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { replaceRepoRoute } from '../../../api/actions.ts';
import { answer, api } from '../../../api/api.ts';

/**
 * Replaces the shown route by a changed one, at its current position. Throws when the route was
 * changed or removed since it was shown.
 */
export async function saveRoute(shown: RepoRoute, changed: RepoRoute): Promise<void> {
  const { routes } = await answer(api.setup['repo-routes'].$get({}));
  const index = routes.findIndex((route) => JSON.stringify(route) === JSON.stringify(shown));
  if (index < 0) {
    throw new Error(
      `${shownRepository(shown.url)} was changed or removed meanwhile, so nothing was saved. Close this and look at it again.`,
    );
  }
  await replaceRepoRoute(index, changed);
}
