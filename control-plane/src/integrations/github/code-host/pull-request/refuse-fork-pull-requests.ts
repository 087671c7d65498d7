import type { GitHubPullRequest } from './github-pull-request.ts';

/** Leaves out pull requests that come from another repository than the one that they go into. */
export function refuseForkPullRequests(pulls: readonly GitHubPullRequest[]): GitHubPullRequest[] {
  return pulls.filter(
    ({ head, base }) => base.repo === undefined || head.repo?.id === base.repo?.id,
  );
}
