import {
  CodeHostError,
  type FeedbackItem,
  type PullRequestView,
} from '../../../../ports/code-host/code-host.ts';
import {
  connectionTo,
  type CurrentGitHub,
  type PullRequestQuery,
} from '../../api/github-connections.ts';
import { findPullRequest } from './find-pull-request.ts';
import type { GitHubPullRequest } from './github-pull-request.ts';
import { readChecks } from './read-checks.ts';
import { readFeedback, type OnIgnored } from './read-feedback.ts';

const MISSING: PullRequestView = {
  status: 'missing',
  mergeCommitSha: null,
  headSha: '',
  pendingChecks: 0,
  checks: [],
  unseen: [],
  items: [],
};

type ReadingDeps = { github: CurrentGitHub; onIgnored: OnIgnored };

/**
 * Reads one pull request on GitHub. Throws a GitHubError, also when it may only be invisible for
 * now.
 */
export async function viewGitHubPullRequest(
  deps: ReadingDeps,
  given: { repositoryUrl: string; number: number; branch: string },
  signal: AbortSignal,
): Promise<PullRequestView> {
  const there = connectionTo(deps.github, given.repositoryUrl);
  if (there === null) {
    const message = `GitHub is not configured for ${given.repositoryUrl}`;
    throw new CodeHostError(message, { retryable: false });
  }
  const query: PullRequestQuery = { ...there, number: given.number, signal };
  const pull = await findPullRequest(query, given.branch);
  if (pull === null) return MISSING;
  const ended = endOf(pull);
  if (ended !== null) {
    return {
      ...ended,
      headSha: pull.head.sha,
      pendingChecks: 0,
      checks: [],
      unseen: [],
      items: [],
    };
  }
  const [checks, feedback] = await Promise.all([
    readChecks(query, pull.head.sha),
    readFeedback(query, deps.onIgnored),
  ]);
  return {
    status: 'open',
    mergeCommitSha: null,
    headSha: pull.head.sha,
    pendingChecks: checks.pending,
    checks: checks.all,
    unseen: [...checks.unseen, ...feedback.unseen],
    items: [...checks.items, ...conflictOf(pull), ...feedback.items].toSorted(
      (a, b) => a.atMs - b.atMs,
    ),
  };
}

function endOf(pull: GitHubPullRequest): Pick<PullRequestView, 'status' | 'mergeCommitSha'> | null {
  if (pull.merged_at != null) {
    return { status: 'merged', mergeCommitSha: pull.merge_commit_sha ?? null };
  }
  return pull.state === 'closed' ? { status: 'closed', mergeCommitSha: null } : null;
}

function conflictOf(pull: GitHubPullRequest): FeedbackItem[] {
  if (pull.mergeable !== false) return [];
  return [
    {
      key: `conflict:${pull.head.sha}`,
      kind: 'conflict',
      from: pull.base.ref,
      url: pull.html_url,
      path: null,
      line: null,
      text: '',
      atMs: 0,
    },
  ];
}
