import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { z } from 'zod';
import { CodeHostError, type OpenPullRequest } from '../../../../ports/code-host/code-host.ts';
import { GITHUB_CODE_HOST, type GitHubCodeHostDeps } from '../github-code-host-deps.ts';
import { connectionTo, type GitHubConnection } from '../../api/github-connections.ts';
import { GitHubError } from '../../api/github-error.ts';
import { GitHubPullRequest } from './github-pull-request.ts';
import { refuseForkPullRequests } from './refuse-fork-pull-requests.ts';
import { repositoryPath, type RepositoryName } from '../../api/repository-name.ts';
import { pullRequestRecord } from '../../../../ports/code-host/pull-request-record.ts';
import { storePullRequest } from '../../../../pull-requests/rows/store-pull-request.ts';

type There = GitHubConnection & { repository: RepositoryName };

const READY = `mutation($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId }
}`;

/**
 * Opens the pull request of a branch, or updates the open one. It searches first, so that a retry
 * after a lost response finds the existing one. Throws a GitHubError.
 */
export async function openGitHubPullRequest(
  deps: GitHubCodeHostDeps,
  input: OpenPullRequest,
): Promise<PullRequest> {
  const there = connectionTo(deps.github, input.repositoryUrl);
  if (there === null) {
    throw new CodeHostError(`GitHub is not configured for ${input.repositoryUrl}`, {
      retryable: false,
    });
  }
  const found = (await openOneOf(there, input.branch)) ?? (await create(there, input));
  const current = await bringUpToDate(there, found, input);
  const { row, isNew } = await storePullRequest(deps, input, {
    codeHost: GITHUB_CODE_HOST,
    seen: { number: current.number, url: current.html_url, draft: current.draft === true },
    pageOf: () => null,
  });
  if (isNew) await dress(deps, there, current.number);
  // The row contains GitHub's own address, so no public origin is needed.
  return pullRequestRecord({ publicOrigin: () => null }, row);
}

function base({ access, repository }: There) {
  return { auth: access.authorize(repository), path: repositoryPath(repository) };
}

async function openOneOf(there: There, branch: string): Promise<GitHubPullRequest | null> {
  const { auth, path } = base(there);
  const head = encodeURIComponent(`${there.repository.owner}:${branch}`);
  const pulls = await there.client.list(GitHubPullRequest, auth, {
    path: `${path}/pulls?state=open&head=${head}&per_page=100`,
  });
  // A server that ignores the filter returns all pull requests, including those of forks.
  const own = refuseForkPullRequests(pulls).filter(({ head: { ref } }) => ref === branch);
  return own.find(({ state }) => state === 'open') ?? null;
}

async function create(there: There, input: OpenPullRequest): Promise<GitHubPullRequest> {
  const { auth, path } = base(there);
  const { title, body, branch: head, base: into } = input;
  const post = (draft: boolean) =>
    there.client.json(GitHubPullRequest, auth, {
      method: 'POST',
      path: `${path}/pulls`,
      body: { title, body, head, base: into, draft },
    });
  try {
    return await post(input.draft || there.settings.draft);
  } catch (error) {
    if (takesNoDrafts(error)) return post(false);
    // Another process opened it first, or the response to the first try was lost.
    if (!(error instanceof GitHubError) || error.status !== 422) throw error;
    const found = await openOneOf(there, head);
    if (found === null) throw error;
    return found;
  }
}

/** Whether drafts are unsupported: not every plan has them for private repositories. */
function takesNoDrafts(error: unknown): boolean {
  const isRefused = error instanceof GitHubError && error.status === 422;
  return isRefused && /draft pull requests are not supported/i.test(error.message);
}

async function bringUpToDate(
  there: There,
  found: GitHubPullRequest,
  input: OpenPullRequest,
): Promise<GitHubPullRequest> {
  const { auth, path } = base(there);
  let current = found;
  const differs =
    found.title !== input.title ||
    normalised(found.body) !== normalised(input.body) ||
    found.base.ref !== input.base;
  if (differs) {
    current = await there.client.json(GitHubPullRequest, auth, {
      method: 'PATCH',
      path: `${path}/pulls/${found.number}`,
      body: { title: input.title, body: input.body, base: input.base },
    });
  }
  // If everything opens as a draft, only people mark it ready.
  if (current.draft !== true || input.draft || there.settings.draft) return current;
  await there.client.mutate(auth, READY, { id: current.node_id });
  return { ...current, draft: false };
}

/** Adds labels and reviewers for people; if GitHub refuses them, the delivery still stands. */
async function dress(deps: GitHubCodeHostDeps, there: There, number: number): Promise<void> {
  const { auth, path } = base(there);
  const { labels, reviewers, teamReviewers } = there.settings;
  const tasks = [
    ...(labels.length === 0 ? [] : [{ path: `${path}/issues/${number}/labels`, body: { labels } }]),
    ...(reviewers.length + teamReviewers.length === 0
      ? []
      : [
          {
            path: `${path}/pulls/${number}/requested_reviewers`,
            body: { reviewers, team_reviewers: teamReviewers },
          },
        ]),
  ];
  for (const task of tasks) {
    try {
      await there.client.json(z.unknown(), auth, { method: 'POST', ...task });
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      deps.logger.warn('a pull request did not get its labels or reviewers', {
        number,
        error: error.message,
      });
    }
  }
}

/** Normalises line ends, which GitHub changes. */
function normalised(text: string | null): string {
  return (text ?? '').replaceAll('\r\n', '\n').trim();
}
