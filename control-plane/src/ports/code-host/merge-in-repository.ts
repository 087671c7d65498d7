/**
 * Merges through a runner that reaches the repository. Must be idempotent: merging a commit that
 * the base already contains returns the commit that contains it. Throws an `AppError`: 503 when no
 * runner is connected that may, 409 when the branch conflicts with its base, 502 when the runner
 * fails or the branch is no longer at `expectedCommit`.
 */
export type MergeInRepository = (input: {
  repositoryUrl: string;
  /** Issue of the work: only runners that may work on it are used. */
  issueIdentifier: string;
  branch: string;
  baseBranch: string;
  expectedCommit: string;
  message: string;
}) => Promise<{ mergeCommit: string }>;
