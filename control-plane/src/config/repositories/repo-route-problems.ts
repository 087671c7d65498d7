import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { ErrorDetail } from '../../errors.ts';
import { repositoryUrlProblem } from '@switchyard/shared/text/repository-url';

/** Problems of a repository route that its schema does not find, by field. */
export function repoRouteProblems(route: RepoRoute): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const url = repositoryUrlProblem(route.url);
  if (url !== null) problems.push({ path: 'url', message: url });
  for (const [index, submodule] of (route.submodules ?? []).entries()) {
    const message = repositoryUrlProblem(submodule);
    if (message !== null) problems.push({ path: `submodules.${index}`, message });
  }
  // The branch becomes an argument of git, so it must not look like an option or contain line
  // breaks.
  if (/^-|[\p{Cc}\p{Cf}]/u.test(route.default_branch ?? '')) {
    const message = 'must not start with a dash or have control characters';
    problems.push({ path: 'default_branch', message });
  }
  const twice = secretTwice(route);
  if (twice !== null) {
    problems.push({ path: 'secrets', message: `two secrets in one header of ${twice}` });
  }
  return problems;
}

/**
 * A host for which two secrets would use the same header, so that one would be lost; null: none.
 */
function secretTwice({ secrets = [] }: RepoRoute): string | null {
  const seen = new Set<string>();
  for (const { hosts, header = 'authorization' } of secrets) {
    for (const host of hosts) {
      const place = `${host} ${header}`.toLowerCase().replace(/^(\S*?):443 /, '$1 ');
      if (seen.has(place)) return host;
      seen.add(place);
    }
  }
  return null;
}
