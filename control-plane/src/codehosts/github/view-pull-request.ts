import { z } from 'zod';
import { CodeHostError, type FeedbackItem, type PullRequestView } from '../code-host.ts';
import {
  connectionTo,
  type CurrentGitHub,
  type Looking,
} from '../../github-api/github-connections.ts';
import { findPullRequest } from './find-pull-request.ts';
import type { GitHubPullRequest } from './github-pull-request.ts';
import { readChecks } from './read-checks.ts';
import { repositoryPath } from '../../github-api/repository-name.ts';

/** Whose words start work: strangers on a public repository must not. Source: GitHub's REST API. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
const MAX_TEXT_CHARS = 8_000;

const MISSING: PullRequestView = {
  ...{ status: 'missing', mergeCommitSha: null, headSha: '' },
  ...{ pendingChecks: 0, checks: [], items: [] },
};

const Author = z.object({ login: z.string() }).nullable();
const Said = {
  id: z.int(),
  user: Author,
  body: z.string().nullable(),
  html_url: z.string().nullable().optional(),
  author_association: z.string().optional(),
};
const Review = z.object({ ...Said, state: z.string(), submitted_at: z.string().nullish() });
const ReviewComment = z.object({
  ...Said,
  path: z.string().nullish(),
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  created_at: z.string(),
});
const IssueComment = z.object({ ...Said, created_at: z.string() });

/** Looks at one pull request on GitHub. Throws a GitHubError, also when it is only out of sight. */
export async function viewGitHubPullRequest(
  github: CurrentGitHub,
  given: { repositoryUrl: string; number: number; branch: string },
  signal: AbortSignal,
): Promise<PullRequestView> {
  const there = connectionTo(github, given.repositoryUrl);
  if (there === null) {
    const message = `GitHub is not configured for ${given.repositoryUrl}`;
    throw new CodeHostError(message, { retryable: false });
  }
  const look: Looking = { ...there, number: given.number, signal };
  const pull = await findPullRequest(look, given.branch);
  if (pull === null) return MISSING;
  const ended = endOf(pull);
  if (ended !== null) {
    return { ...ended, headSha: pull.head.sha, pendingChecks: 0, checks: [], items: [] };
  }
  const [checks, said] = await Promise.all([readChecks(look, pull.head.sha), readWords(look)]);
  return {
    status: 'open',
    mergeCommitSha: null,
    headSha: pull.head.sha,
    pendingChecks: checks.pending,
    checks: checks.all,
    items: [...checks.items, ...conflictOf(pull), ...said].toSorted((a, b) => a.atMs - b.atMs),
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

/** Reviews that ask for changes, comments on lines, and comments below, by people who may. */
async function readWords(look: Looking): Promise<FeedbackItem[]> {
  const { client, access, repository, number, signal } = look;
  const auth = access.authorize(repository);
  const root = repositoryPath(repository);
  const get = <T>(row: z.ZodType<T>, path: string) =>
    client.list(row, auth, { path: `${root}${path}?per_page=100`, signal });
  const [own, reviews, lines, below] = await Promise.all([
    access.ownLogin(),
    get(Review, `/pulls/${number}/reviews`),
    get(ReviewComment, `/pulls/${number}/comments`),
    get(IssueComment, `/issues/${number}/comments`),
  ]);
  const counts = (said: {
    user: z.infer<typeof Author>;
    author_association?: string | undefined;
  }) =>
    said.user !== null &&
    said.user.login.toLowerCase() !== own.toLowerCase() &&
    TRUSTED.has(said.author_association ?? '');
  return [
    ...reviews
      .filter((review) => counts(review) && asksForSomething(review))
      .map((review) => item('review', review, review.submitted_at)),
    ...lines.filter(counts).map((comment) => ({
      ...item('comment', comment, comment.created_at),
      path: comment.path ?? null,
      line: comment.line ?? comment.original_line ?? null,
    })),
    ...below
      .filter((comment) => counts(comment) && !isBlank(comment.body))
      .map((comment) => ({
        ...item('comment', comment, comment.created_at),
        key: `issue-comment:${comment.id}`,
      })),
  ];
}

/** An approval asks for nothing; a review that is only the frame of its line comments neither. */
function asksForSomething({ state, body }: z.infer<typeof Review>): boolean {
  const kind = state.toUpperCase();
  if (kind === 'CHANGES_REQUESTED') return true;
  return kind === 'COMMENTED' && !isBlank(body);
}

function item(
  kind: 'review' | 'comment',
  said: {
    id: number;
    user: z.infer<typeof Author>;
    body: string | null;
    html_url?: string | null | undefined;
  },
  at: string | null | undefined,
): FeedbackItem {
  return {
    key: `${kind}:${said.id}`,
    kind,
    from: said.user?.login ?? 'ghost',
    url: said.html_url ?? null,
    path: null,
    line: null,
    text: (said.body ?? '').slice(0, MAX_TEXT_CHARS),
    atMs: Date.parse(at ?? '') || 0,
  };
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}
