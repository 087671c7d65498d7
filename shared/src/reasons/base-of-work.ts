/**
 * Which branch finished work is meant for: the one that it began on while the remote has it, then the
 * remote's default branch. `missing`: a person configured one that is gone, and what to do about it.
 */
export function baseOfWork(work: {
  /** Where it began; null: not known. */
  base: string | null;
  baseIsGone: boolean;
  /** The remote's default branch, or the configured one where the remote has it. */
  remoteBase: string;
  /** By the repository's route. */
  configured: string | undefined;
}): { branch: string } | { missing: string } {
  const { base, baseIsGone, remoteBase, configured } = work;
  if (!baseIsGone) return { branch: base ?? remoteBase };
  if (configured === undefined || configured === remoteBase) return { branch: remoteBase };
  return {
    missing: `the remote has no branch ${configured}, which the route of the repository configures: change default_branch there`,
  };
}
