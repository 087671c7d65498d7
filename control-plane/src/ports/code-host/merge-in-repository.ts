/**
 * Merges through a runner that may work on the issue. Must be idempotent: if the base already
 * contains `expectedCommit`, returns the base's head. Throws an `AppError`: 503 without such a
 * runner, 409 on a conflict, 502 when the runner fails or the branch has left `expectedCommit`.
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
