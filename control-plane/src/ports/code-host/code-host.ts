import type { DiffStat } from '@switchyard/shared/api/work/diff-stat';
import type { PullRequest, PullRequestCheck } from '@switchyard/shared/api/work/pull-request';
import type { AgentApi } from '../ports.ts';

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

/** What git needs to reach a repository; held in memory only. */
export type GitCredentials = {
  username: string;
  password: string;
  /** Epoch milliseconds; null: it does not end by itself. */
  expiresAtMs: number | null;
};

/** Something that a pull request's host says about our work. Texts come from strangers. */
export type FeedbackItem = {
  /** The same for the same thing, for example `comment:12`; nothing counts twice. */
  key: string;
  kind: 'check' | 'review' | 'comment' | 'conflict';
  /** Name of the check, or who wrote it. */
  from: string;
  /** Address for people. */
  url: string | null;
  /** File and line that it is about. */
  path: string | null;
  line: number | null;
  /** The words, or the end of the log. */
  text: string;
  atMs: number;
};

/** A pull request as its host shows it now. */
export type PullRequestView = {
  /** `missing`: its repository can be seen, but neither it nor its end can be found there. */
  status: 'open' | 'merged' | 'closed' | 'missing';
  mergeCommitSha: string | null;
  headSha: string;
  /** Checks of the present head that have not ended. */
  pendingChecks: number;
  /** All checks of the present head, for people; empty once it has ended. */
  checks: PullRequestCheck[];
  /** What the credential may not see, in words for people; the rest is as it is. */
  unseen: string[];
  /** By others than us whose word counts; in the order in which it was said. */
  items: FeedbackItem[];
};

/** Which pull requests an event of the host may be about. */
export type PullRequestHint = {
  isOf(repositoryUrl: string): boolean;
  number: number | null;
  /** Head, or a base that has moved. */
  branch: string | null;
  /** It may be one that has ended. */
  reopened?: boolean;
};

/** How the host's webhook to this service stands. */
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
  /** True when this host serves the repository url. */
  serves(repositoryUrl: string): boolean;
  /** One open pull request per (repository, branch): opening again updates it and returns it. */
  openPullRequest(input: OpenPullRequest): Promise<PullRequest>;
  /** What git needs for this repository; null or left out: nothing. */
  gitCredentials?(repositoryUrl: string): Promise<GitCredentials | null>;
  /**
   * Looks at a pull request. Throws when it may only be out of sight: then nothing is known of it.
   * Left out: nobody speaks there.
   */
  viewPullRequest?(
    pullRequest: { repositoryUrl: string; number: number; branch: string },
    signal: AbortSignal,
  ): Promise<PullRequestView>;
  /** Which pull requests a delivery of this host may be about; none when it is of no concern. */
  hintsOf?(event: string, body: unknown): PullRequestHint[];
  /**
   * Whether this host still sends deliveries about these repositories; null or left out: nobody can
   * tell. `host`: under which this service is reached from outside, where that is known.
   */
  checkWebhook?(
    given: { repositoryUrls: readonly string[]; host: string | null },
    signal: AbortSignal,
  ): Promise<WebhookStatus | null>;
  /** What agents may ask of this host about a repository; left out: nothing. */
  agentApi?(repositoryUrl: string): AgentApi | null;
}
