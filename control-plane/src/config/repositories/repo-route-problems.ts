import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { ErrorDetail } from '../../errors.ts';
import { repositoryUrlProblem } from '@switchyard/shared/text/repository-url';

/** What is wrong with a repository route beyond its shape, by field. */
export function repoRouteProblems(route: RepoRoute): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const url = repositoryUrlProblem(route.url);
  if (url !== null) problems.push({ path: 'url', message: url });
  for (const [index, submodule] of (route.submodules ?? []).entries()) {
    const message = repositoryUrlProblem(submodule);
    if (message !== null) problems.push({ path: `submodules.${index}`, message });
  }
  // It becomes an argument of git: an option or a line of its own must not get that far.
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

/** A host that would get two secrets in the same header, of which one would be lost. */
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
