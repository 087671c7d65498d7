import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { MergePolicy } from '@switchyard/shared/merge/merge-policy';

/** The policy by which the queue merges, or for people why it merges nothing. */
type MergeRules = { policy: MergePolicy; whyNot: null } | { policy: null; whyNot: string };

/**
 * What the route of an issue says of merging into a repository. An issue that is routed elsewhere by
 * now has no policy there, and what no check tests is not merged. Pure.
 */
export function mergeRulesOf(
  route: Pick<RepoRoute, 'url' | 'merge' | 'checks'> | null,
  repositoryUrl: string,
): MergeRules {
  const policy = route?.url === repositoryUrl ? route.merge : undefined;
  if (policy === undefined || policy.mode === 'never') {
    const whyNot = 'the merge queue is off for this repository: set its merge policy first';
    return { policy: null, whyNot };
  }
  if ((route?.checks ?? []).length > 0) return { policy, whyNot: null };
  const whyNot = 'its repository declares no checks, so the merge queue has nothing to test';
  return { policy: null, whyNot };
}
