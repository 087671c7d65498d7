import { appRecord, labelRecord, repositoryRecord, urls, userRecord } from './fake-records.ts';
import {
  associationOf,
  type FakeCheck,
  type FakeComment,
  type FakeIssue,
  type FakeLineComment,
  type FakePull,
  type FakeRepository,
  type FakeReview,
  type FakeStatus,
  type FakeUser,
  updatedAt,
} from './fake-state.ts';

/** Builds GitHub's answers from the fake's state. `web` is the address people see. */
export function answersOf(web: string, repository: FakeRepository) {
  const full = `${repository.owner}/${repository.name}`;
  const html = `${web}/${full}`;
  const api = `${web}/api/v3/repos/${full}`;
  const repo = () => repositoryRecord(web, repository);
  const user = (given: FakeUser) => userRecord(web, given);
  const label = (name: string) => labelRecord(api, name);
  const said = (comment: FakeComment, anchor: string) => ({
    id: comment.id,
    node_id: `N_${comment.id}`,
    body: comment.body,
    user: user(comment.user),
    author_association: comment.author_association ?? associationOf(repository, comment.user),
    html_url: `${html}/${placeOf(comment)}/${comment.issue}#${anchor}-${comment.id}`,
    created_at: second(comment.created_at),
    updated_at: second(updatedAt(comment)),
  });
  const placeOf = ({ issue }: FakeComment) =>
    repository.issues.some(({ number }) => number === issue) ? 'issues' : 'pull';
  const onPull = (comment: FakeComment) => ({
    pull_request_url: `${api}/pulls/${comment.issue}`,
    _links: {
      html: { href: `${html}/pull/${comment.issue}` },
      pull_request: { href: `${api}/pulls/${comment.issue}` },
      self: { href: `${api}/pulls/comments/${comment.id}` },
    },
  });
  return {
    repo,
    user,
    label,
    pull: (pull: FakePull, headSha: string, baseSha: string) => ({
      ...pullLinks(api, html, pull.number, headSha),
      id: 1_000 + pull.number,
      node_id: pull.node_id,
      number: pull.number,
      state: pull.state,
      draft: pull.draft,
      locked: false,
      title: pull.title,
      body: pull.body,
      user: user(pull.user),
      labels: pull.labels.map(label),
      head: head(pull, headSha),
      base: branch(pull.baseRef, baseSha),
      merged: pull.merged_at !== null,
      merged_at: pull.merged_at,
      merge_commit_sha: pull.merge_commit_sha,
      mergeable: pull.mergeable,
      mergeable_state: mergeableState(repository, pull),
      merged_by: null,
      maintainer_can_modify: false,
      assignee: null,
      milestone: null,
      closed_at: null,
      auto_merge: null,
      additions: 1,
      deletions: 0,
      changed_files: 1,
      commits: 1,
      comments: 0,
      review_comments: 0,
      author_association: 'COLLABORATOR',
      created_at: pull.created_at,
      updated_at: pull.updated_at,
    }),
    issue: (issue: FakeIssue, blockedBy: number) => ({
      ...urls(`${api}/issues/${issue.number}`, 'comments events labels'),
      url: `${api}/issues/${issue.number}`,
      comments: 0,
      locked: false,
      milestone: null,
      id: issue.id,
      node_id: `I_${issue.id}`,
      number: issue.number,
      html_url: `${html}/issues/${issue.number}`,
      repository_url: api,
      state: issue.state,
      state_reason: issue.state_reason,
      title: issue.title,
      body: issue.body,
      user: user(issue.user),
      labels: issue.labels.map(label),
      assignee: issue.assignees.map(assignee)[0] ?? null,
      assignees: issue.assignees.map(assignee),
      author_association: 'MEMBER',
      closed_at: issue.state === 'closed' ? issue.updated_at : null,
      created_at: issue.created_at,
      updated_at: issue.updated_at,
      issue_dependencies_summary: {
        blocked_by: blockedBy,
        total_blocked_by: blockedBy,
        blocking: 0,
        total_blocking: 0,
      },
      ...(issue.isPull ? { pull_request: { url: `${html}/pull/${issue.number}` } } : {}),
    }),
    comment: (comment: FakeComment) => ({
      ...said(comment, 'issuecomment'),
      url: `${api}/issues/comments/${comment.id}`,
      issue_url: `${api}/issues/${comment.issue}`,
    }),
    review: (review: FakeReview) => ({
      ...said(review, 'pullrequestreview'),
      ...onPull(review),
      commit_id: '0'.repeat(40),
      state: review.state,
      submitted_at: review.created_at,
    }),
    lineComment: (comment: FakeLineComment) => ({
      ...said(comment, 'discussion_r'),
      ...onPull(comment),
      url: `${api}/pulls/comments/${comment.id}`,
      pull_request_review_id: null,

      diff_hunk: '@@ -1 +1 @@',
      commit_id: '0'.repeat(40),
      original_commit_id: '0'.repeat(40),
      path: comment.path,
      line: comment.line,
      original_line: comment.line,
    }),
    check: (check: FakeCheck) => ({
      id: check.id,
      node_id: `CR_${check.id}`,
      external_id: '',
      check_suite: { id: 1 },
      url: `${api}/check-runs/${check.id}`,
      pull_requests: [],
      name: check.name,
      head_sha: check.sha,
      status: check.status,
      conclusion: check.conclusion,
      html_url: `${html}/runs/${check.id}`,
      details_url: `${html}/actions/runs/1/job/${check.id}`,
      started_at: new Date(0).toISOString(),
      completed_at: check.status === 'completed' ? new Date().toISOString() : null,
      output: {
        ...check.output,
        annotations_count: 0,
        annotations_url: `${api}/check-runs/${check.id}/annotations`,
      },
      app: appRecord(web),
    }),
    status: ({ sha, ...status }: FakeStatus) => ({
      id: 1,
      node_id: 'S_1',
      target_url: null,
      avatar_url: null,
      url: `${api}/statuses/${sha}`,
      ...status,
      created_at: new Date(0).toISOString(),
      updated_at: new Date(0).toISOString(),
    }),
  };

  function branch(ref: string, sha: string) {
    const { owner } = repo();
    return { label: `${repository.owner}:${ref}`, ref, sha, user: owner, repo: repo() };
  }

  /** Of a fork that is deleted nothing is left but the name of the branch. */
  function head(pull: FakePull, sha: string) {
    const here = branch(pull.headRef, sha);
    if (pull.fork === undefined) return here;
    const [owner = '', name = ''] = (pull.fork ?? 'unknown/repository').split('/');
    const label = `${owner}:${pull.headRef}`;
    if (pull.fork === null) return { ...here, label, repo: null, user: null };
    const fork = { ...repository, id: repository.id + 1_000, owner, name };
    const repo = { ...repositoryRecord(web, fork), fork: true };
    return { ...here, label, repo, user: repo.owner };
  }

  function assignee(login: string) {
    return user({ login, id: 7, type: 'User' });
  }
}

/** GitHub's times have no fractions. */
function second(at: string): string {
  return `${at.slice(0, 19)}Z`;
}

/** What stands in the way of a merge. */
export function mergeableState(repository: FakeRepository, pull: FakePull): string {
  if (pull.draft) return 'draft';
  if (pull.mergeable === false) return 'dirty';
  return isApproved(repository, pull) ? 'clean' : 'blocked';
}

/**
 * Of everybody who may write, the author aside, the last word counts; one who asks for changes holds
 * all others up. Comments are no word. Without a rule nothing is asked for.
 */
function isApproved({ rules, reviews, people }: FakeRepository, pull: FakePull): boolean {
  if (rules.reviews === 0) return true;
  const words = new Map<string, string>();
  for (const { issue, user, state } of reviews) {
    const login = user.login.toLowerCase();
    const permission = people.get(login)?.permission ?? 'none';
    const mayWrite = permission === 'admin' || permission === 'write';
    const isWord = state === 'APPROVED' || state === 'CHANGES_REQUESTED' || state === 'DISMISSED';
    const isOwn = login === pull.user.login.toLowerCase();
    if (issue === pull.number && mayWrite && isWord && !isOwn) words.set(login, state);
  }
  const all = [...words.values()];
  if (all.includes('CHANGES_REQUESTED')) return false;
  return all.filter((state) => state === 'APPROVED').length >= rules.reviews;
}

/** Where everything of a pull request is. */
function pullLinks(api: string, html: string, number: number, headSha: string) {
  const url = `${api}/pulls/${number}`;
  const all = {
    url,
    html_url: `${html}/pull/${number}`,
    diff_url: `${html}/pull/${number}.diff`,
    patch_url: `${html}/pull/${number}.patch`,
    issue_url: `${api}/issues/${number}`,
    comments_url: `${api}/issues/${number}/comments`,
    commits_url: `${url}/commits`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    review_comments_url: `${url}/comments`,
    statuses_url: `${api}/statuses/${headSha}`,
  };
  const link = (href: string) => ({ href });
  return {
    ...all,
    _links: {
      self: link(all.url),
      html: link(all.html_url),
      issue: link(all.issue_url),
      comments: link(all.comments_url),
      commits: link(all.commits_url),
      review_comment: link(all.review_comment_url),
      statuses: link(all.statuses_url),
      review_comments: link(all.review_comments_url),
    },
  };
}
