import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';

/**
 * The repository of an issue: routes by label first, in list order, then the longest matching
 * prefix of the identifier, regardless of case. An issue that names its repository always uses that
 * one. Null when nothing matches.
 */
export function routeForIssue(
  issue: { identifier: string; labels: readonly string[]; repository_url?: string | null },
  routes: readonly RepoRoute[],
): RepoRoute | null {
  const own = issue.repository_url ?? null;
  if (own !== null) return routes.find((route) => route.url === own) ?? null;
  const labels = new Set(issue.labels.map(plain));
  const byLabel = routes.find(
    (route) => route.label !== undefined && labels.has(plain(route.label)),
  );
  if (byLabel !== undefined) return byLabel;
  const identifier = plain(issue.identifier);
  let best: RepoRoute | null = null;
  for (const route of routes) {
    if (route.prefix === undefined || !identifier.startsWith(plain(route.prefix))) continue;
    if (best === null || route.prefix.length > (best.prefix?.length ?? 0)) best = route;
  }
  return best;
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}
