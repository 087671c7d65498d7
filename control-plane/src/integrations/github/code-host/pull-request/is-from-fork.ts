import type { GitHubPullRequest } from './github-pull-request.ts';

/** Whether a pull request comes from another repository than the one that it goes into. */
export function isFromFork({ head, base }: GitHubPullRequest): boolean {
  return base.repo !== undefined && head.repo?.id !== base.repo?.id;
}
