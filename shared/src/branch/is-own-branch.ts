/** Branches that the service lets a runner push or open pull requests from begin with this. */
export const OWN_BRANCH_PREFIX = 'switchyard/';

/** Whether a branch is one of ours. Everything else belongs to people, whatever a runner reports. */
export function isOwnBranch(branch: string | null): branch is string {
  return branch !== null && branch.startsWith(OWN_BRANCH_PREFIX) && !branch.includes('..');
}
