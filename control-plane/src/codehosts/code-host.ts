import type { DiffStat } from '@switchyard/shared/api/diff-stat';
import type { PullRequest } from '@switchyard/shared/api/pull-request';

/** The port to where pull requests live. The control plane never runs git: runners push. */
export type OpenPullRequest = {
  repositoryUrl: string;
  branch: string;
  base: string;
  baseCommit: string;
  commitSha: string;
  title: string;
  body: string;
  draft: boolean;
  diffStat: DiffStat;
  /** Blob key of the unified diff, where the runner stored one. */
  diffBlob: string | null;
  issueIdentifier: string;
  attemptId: string;
};

export class CodeHostError extends Error {
  readonly retryable: boolean;
  readonly retryAtMs: number | undefined;
  constructor(message: string, options: { retryable: boolean; retryAtMs?: number }) {
    super(message);
    this.name = 'CodeHostError';
    this.retryable = options.retryable;
    this.retryAtMs = options.retryAtMs;
  }
}

export interface CodeHost {
  readonly kind: string;
  /** True when this host serves the repository url. */
  serves(repositoryUrl: string): boolean;
  /** One open pull request per (repository, branch): opening again updates it and returns it. */
  openPullRequest(input: OpenPullRequest): Promise<PullRequest>;
}
