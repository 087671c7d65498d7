/**
 * Codes of a runner's failed push that the same push meets again until a person has done something:
 * a rule or permission of the remote, a repository or base that is gone, a branch that cannot be ours.
 * Any other failure may pass, and the push is tried again.
 */
export const NEEDS_PERSON: ReadonlySet<string> = new Set([
  'push_refused',
  'host_auth_failed',
  'repository_missing',
  'repository_refused',
  'branch_refused',
  'base_missing',
]);
