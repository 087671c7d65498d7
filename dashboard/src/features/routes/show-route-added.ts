import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRouteAdded } from '@switchyard/shared/api/admin/repo-route';
import { showToast } from '../../ui/overlays/toasts.tsx';

/** Good news of a new route; what a runner cannot work with is said where the route stands. */
export function showRouteAdded({ url, ok }: Pick<RepoRouteAdded, 'url' | 'ok'>): void {
  if (ok !== false) showToast(`${shownRepository(url)} added.`);
}
