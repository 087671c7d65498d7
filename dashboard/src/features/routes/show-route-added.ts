import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRouteAdded } from '@switchyard/shared/api/admin/repo-route';
import { showToast } from '../../ui/overlays/toasts.tsx';

/** Reports a new route's success; a problem of the runner is shown with the route. */
export function showRouteAdded({ url, ok }: Pick<RepoRouteAdded, 'url' | 'ok'>): void {
  if (ok !== false) showToast(`${shownRepository(url)} added.`);
}
