/**
 * The branch that finished work targets: the branch that it started from while the remote has it,
 * otherwise the remote's default branch. `missing`: that the remote lacks the configured branch,
 * and what to do about it.
 */
export function baseOfWork(work: {
  /** Branch that the work started from; null: unknown. */
  base: string | null;
  baseIsGone: boolean;
  /** The remote's default branch, or the configured one where the remote has it. */
  remoteBase: string;
  /** Branch that the repository's route configures. */
  configured: string | undefined;
}): { branch: string } | { missing: string } {
  const { base, baseIsGone, remoteBase, configured } = work;
  if (!baseIsGone) return { branch: base ?? remoteBase };
  if (configured === undefined || configured === remoteBase) return { branch: remoteBase };
  return {
    missing: `the remote has no branch ${configured}, which the route of the repository configures: change default_branch there`,
  };
}
