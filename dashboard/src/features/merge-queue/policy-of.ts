import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { MergeMode } from '@switchyard/shared/merge/merge-policy';

/** What the settings of a repository say of its merge queue. */
export type QueuePolicy = {
  mode: Exclude<MergeMode, 'never'>;
  /** Whether the repository declares checks, without which no merge can be tested. */
  hasChecks: boolean;
};

/** The repository's policy; null: it has no merge queue, or its routes are not known. */
export function policyOf(
  routes: readonly RepoRoute[] | undefined,
  repositoryUrl: string,
): QueuePolicy | null {
  const queued = (routes ?? []).flatMap(({ url, merge, checks = [] }) => {
    const mode = merge?.mode ?? 'never';
    if (url !== repositoryUrl || mode === 'never') return [];
    return [{ mode, hasChecks: checks.length > 0 }];
  });
  // Several routes may lead to one repository; the first that can test a merge counts.
  return queued.find(({ hasChecks }) => hasChecks) ?? queued[0] ?? null;
}
