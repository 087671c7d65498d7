/**
 * Merges in the repository, where a runner reaches it. Must be safe to repeat: merging a commit that
 * the base already contains answers the commit that holds it. Throws an `AppError`: 503 when no
 * runner can, 409 when the branch conflicts or is not at `expectedCommit`.
 */
export type MergeInRepository = (input: {
  repositoryUrl: string;
  /** Whose work it is: only runners that may have it are asked. */
  issueIdentifier: string;
  branch: string;
  baseBranch: string;
  expectedCommit: string;
  message: string;
}) => Promise<{ mergeCommit: string }>;
