import type { RepoRoute, RepoRouteAdded } from '@switchyard/shared/api/admin/repo-route';
import type { Deps } from '../../../deps.ts';
import { askForContext } from '../../../runners/git/ask-for-context.ts';

/**
 * What a runner reports about a local repository when its route is added, so that problems show
 * before any work is paid for. Remote repositories are covered by the check of the step.
 */
export async function probeRoute(
  deps: Pick<Deps, 'db' | 'connections'>,
  route: RepoRoute,
): Promise<Omit<RepoRouteAdded, 'routes' | 'url'>> {
  if (!/^file:/i.test(route.url)) {
    const message = 'Not looked at yet: the check of the step "repository" does';
    return { ok: null, message, warnings: [] };
  }
  const context = await askForContext(deps, route);
  if (!context.ok) {
    const message = context.isAsked ? context.reason : `Nobody can look yet: ${context.reason}`;
    return { ok: context.isAsked ? false : null, message, warnings: [] };
  }
  const { head, hindrance } = context.value;
  if (hindrance?.of === 'push') return { ok: false, message: hindrance.message, warnings: [] };
  const warnings = hindrance === undefined ? [] : [hindrance.message];
  return { ok: true, message: `A runner reaches it: work starts from ${head}`, warnings };
}
