import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { GitRepository } from '../e2e/git-repository.ts';
import type { ServiceClient } from '../e2e/service-client.ts';
import { workFiles } from './chaos-work.ts';
import type { WireRecord } from './wire-record.ts';

export type DeliveryParts = {
  repository: GitRepository;
  client: ServiceClient;
  record: WireRecord;
  /** Number of the work by issue identifier, for every issue that is completed. */
  works: ReadonlyMap<string, number>;
};

/**
 * What the git remote does not bear out: each issue has one pull request and one comment, its
 * commit stands on its branch and holds the work, and nobody moved a branch without permission.
 */
export async function lostCommits(parts: DeliveryParts): Promise<string[]> {
  const path = '/local/pull-requests?limit=500';
  const { pullRequests } = await parts.client.must<{ pullRequests: PullRequest[] }>('GET', path);
  const problems: string[] = [];
  for (const [identifier, work] of parts.works) {
    const own = pullRequests.filter(({ issueIdentifier }) => issueIdentifier === identifier);
    const [pullRequest] = own;
    if (pullRequest === undefined || own.length > 1) {
      problems.push(`${identifier} has ${own.length} pull requests`);
      continue;
    }
    problems.push(...(await checkBranch(parts, { identifier, work, pullRequest })));
    const comments = await parts.client.comments(identifier);
    if (comments.length !== 1) problems.push(`${identifier} has ${comments.length} comments`);
  }
  return problems;
}

async function checkBranch(
  { repository, record }: DeliveryParts,
  of: { identifier: string; work: number; pullRequest: PullRequest },
): Promise<string[]> {
  const { identifier, work } = of;
  const { branch, commitSha } = of.pullRequest;
  const head = await repository
    .git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)
    .catch(() => 'nothing');
  const problems: string[] = [];
  if (head !== commitSha) problems.push(`${identifier}: ${branch} is at ${head}, not ${commitSha}`);
  for (const [path, text] of Object.entries(workFiles(work))) {
    const found = await repository.git('show', `${commitSha}:${path}`).catch(() => 'nothing');
    if (found !== text) problems.push(`${identifier}: ${path} holds ${JSON.stringify(found)}`);
  }
  const pushes = [
    ...record.ordered,
    ...[...record.leases.values()].flatMap((one) => one.permitted),
  ];
  const permitted = new Set(
    pushes.filter((one) => one.branch === branch).map(({ commitSha: pushed }) => pushed),
  );
  for (const moved of await movesOf(repository, branch)) {
    if (!permitted.has(moved)) problems.push(`${identifier}: ${branch} moved to ${moved} unasked`);
  }
  return problems;
}

/** Every commit that a branch was ever at, newest first. */
async function movesOf(repository: GitRepository, branch: string): Promise<string[]> {
  const log = await repository
    .git('reflog', 'show', '--format=%H', `refs/heads/${branch}`)
    .catch(() => '');
  return log === '' ? [] : log.split('\n');
}
