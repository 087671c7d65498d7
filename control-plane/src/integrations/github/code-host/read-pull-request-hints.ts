import { z } from 'zod';
import type { PullRequestHint } from '../../../ports/code-host/code-host.ts';
import type { CurrentGitHub } from '../api/github-connections.ts';
import { repositoryName } from '../api/repository-name.ts';

/** Events after which a sync of the pull request may find something new; our own edits and labels are none. */
const CONCERNING = new Set([
  'pull_request.closed', 'pull_request.reopened', 'pull_request.synchronize',
  'pull_request_review.submitted', 'pull_request_review.edited',
  'pull_request_review_comment.created', 'pull_request_review_comment.edited',
  'issue_comment.created', 'check_run.completed', 'check_suite.completed',
  'status', 'push',
]); // prettier-ignore
const REOPENED = 'pull_request.reopened';
const BRANCH_REF = 'refs/heads/';

const Numbered = z.object({ number: z.int() });
const Checked = z.object({
  pull_requests: z.array(Numbered).optional(),
  head_branch: z.string().nullish(),
});
const Payload = z.object({
  repository: z.object({ html_url: z.string(), full_name: z.string() }),
  pull_request: Numbered.optional(),
  issue: z.object({ number: z.int(), pull_request: z.unknown().optional() }).optional(),
  check_run: Checked.extend({ check_suite: Checked.optional() }).optional(),
  check_suite: Checked.optional(),
  branches: z.array(z.object({ name: z.string() })).optional(),
  ref: z.string().optional(),
});

/** Names the pull requests that a delivery of GitHub is about; nothing else in it is trusted. */
export function readPullRequestHints(
  github: CurrentGitHub,
  event: string,
  body: unknown,
): PullRequestHint[] {
  const connection = github();
  if (connection === null || !CONCERNING.has(event)) return [];
  const parsed = Payload.safeParse(body);
  if (!parsed.success) return [];
  const { webBaseUrl } = connection.settings;
  const fullName = parsed.data.repository.full_name.toLowerCase();
  const isOf = (repositoryUrl: string) => {
    const named = repositoryName(repositoryUrl, webBaseUrl);
    return named !== null && `${named.owner}/${named.name}`.toLowerCase() === fullName;
  };
  const numbers = numbersIn(parsed.data);
  const branches = numbers.length > 0 ? [] : branchesIn(parsed.data);
  return [
    ...numbers.map((number) => ({ isOf, number, branch: null, reopened: event === REOPENED })),
    ...branches.map((branch) => ({ isOf, number: null, branch })),
  ];
}

function numbersIn(payload: z.infer<typeof Payload>): number[] {
  const { pull_request: pull, issue, check_run: run, check_suite: suite } = payload;
  const commented = issue?.pull_request === undefined ? [] : [issue.number];
  const checked = [...(run?.pull_requests ?? []), ...(suite?.pull_requests ?? [])];
  return [
    ...(pull === undefined ? [] : [pull.number]),
    ...commented,
    ...checked.map(({ number }) => number),
  ];
}

function branchesIn(payload: z.infer<typeof Payload>): string[] {
  const { check_run: run, check_suite: suite, branches = [], ref } = payload;
  const heads = [run?.check_suite?.head_branch, suite?.head_branch].filter((name) => name != null);
  const pushed = ref?.startsWith(BRANCH_REF) === true ? [ref.slice(BRANCH_REF.length)] : [];
  return [...new Set([...heads, ...branches.map(({ name }) => name), ...pushed])];
}
