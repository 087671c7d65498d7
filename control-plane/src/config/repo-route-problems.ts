import type { RepoRoute } from '@switchyard/shared/api/repo-route';
import type { ErrorDetail } from '../errors.ts';
import { repositoryUrlProblem } from './repository-url.ts';

/** What is wrong with a repository route beyond its shape, by field. */
export function repoRouteProblems(route: RepoRoute): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const url = repositoryUrlProblem(route.url);
  if (url !== null) problems.push({ path: 'url', message: url });
  // It becomes an argument of git: an option or a line of its own must not get that far.
  if (/^-|[\p{Cc}\p{Cf}]/u.test(route.default_branch ?? '')) {
    const message = 'must not start with a dash or have control characters';
    problems.push({ path: 'default_branch', message });
  }
  return problems;
}
