/** Prefix of the branches that the service lets a runner push to or open pull requests from. */
export const OWN_BRANCH_PREFIX = 'switchyard/';

/**
 * Whether a branch belongs to the service. Every other branch belongs to people, whatever a runner
 * reports.
 */
export function isOwnBranch(branch: string | null): branch is string {
  return branch !== null && branch.startsWith(OWN_BRANCH_PREFIX) && !branch.includes('..');
}
