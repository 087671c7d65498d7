import type { DiffStat } from '@switchyard/shared/api/work/diff-stat';
import type { PullRequest, PullRequestCheck } from '@switchyard/shared/api/work/pull-request';
import type { AgentApi } from '../ports.ts';

/**
 * Input of the port to a code host, where pull requests are. The control plane never runs git:
 * runners push.
 */
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
  /** Blob key of the unified diff, if the runner stored one. */
  diffBlob: string | null;
  issueIdentifier: string;
  attemptId: string;
};

/** Credentials that git needs for a repository; kept in memory only. */
export type GitCredentials = {
  username: string;
  password: string;
  /** Expiry, epoch milliseconds; null: they do not expire by themselves. */
  expiresAtMs: number | null;
};

/**
 * An item of feedback on this service's work from the pull request's host. Its texts come from
 * strangers.
 */
export type FeedbackItem = {
  /** Stable key of the item, such as `comment:12`, so that it counts once. */
  key: string;
  kind: 'check' | 'review' | 'comment' | 'conflict' | 'finding';
  /** Name of the check, or of the author. */
  from: string;
  /** Address for people; null: none. */
  url: string | null;
  /** File and line that the item is about; null: none. */
  path: string | null;
  line: number | null;
  /** The message, or the end of the log. */
  text: string;
  atMs: number;
};

/** A pull request as its host shows it now. */
export type PullRequestView = {
  /** `missing`: the repository is visible, but the pull request is not in it. */
  status: 'open' | 'merged' | 'closed' | 'missing';
  mergeCommitSha: string | null;
  headSha: string;
  /** Number of checks of the present head that have not ended. */
  pendingChecks: number;
  /** All checks of the present head, for people; empty once the pull request has ended. */
  checks: PullRequestCheck[];
  /** What the credential cannot see, for people; everything else is complete. */
  unseen: string[];
  /** Failed checks, conflicts, and feedback by others whose comments count; in order of time. */
  items: FeedbackItem[];
};

/** Which pull requests an event of the host may concern. */
export type PullRequestHint = {
  isOf(repositoryUrl: string): boolean;
  number: number | null;
  /** A head branch, or a base branch that has moved. */
  branch: string | null;
  /** The pull request may have ended before. */
  reopened?: boolean;
};

/** The state of the host's webhook to this service. */
export type WebhookStatus = 'ok' | 'missing' | 'failed';

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
  /** Whether this host serves the repository url. */
  serves(repositoryUrl: string): boolean;
  /**
   * Opens the pull request of a branch, or updates and returns the open one; there is at most one
   * for each (repository, branch).
   */
  openPullRequest(input: OpenPullRequest): Promise<PullRequest>;
  /** Credentials that git needs for this repository; null or left out: none. */
  gitCredentials?(repositoryUrl: string): Promise<GitCredentials | null>;
  /**
   * Reads a pull request. Throws when it may only be invisible for now, so that nothing is known of
   * it. Left out where hosts give no feedback.
   */
  viewPullRequest?(
    pullRequest: { repositoryUrl: string; number: number; branch: string },
    signal: AbortSignal,
  ): Promise<PullRequestView>;
  /** The pull requests that a webhook of this host may concern; empty when it is irrelevant. */
  hintsOf?(event: string, body: unknown): PullRequestHint[];
  /**
   * Whether this host still sends webhooks about these repositories; null or left out: unknown.
   * `host`: this service's public host name; null when not known.
   */
  checkWebhook?(
    given: { repositoryUrls: readonly string[]; host: string | null },
    signal: AbortSignal,
  ): Promise<WebhookStatus | null>;
  /** The tool for agents to query this host about a repository; null or left out: none. */
  agentApi?(repositoryUrl: string): AgentApi | null;
}
