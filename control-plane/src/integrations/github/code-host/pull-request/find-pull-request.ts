import { z } from 'zod';
import type { PullRequestQuery } from '../../api/github-connections.ts';
import { GitHubError } from '../../api/github-error.ts';
import { repositoryPath } from '../../api/repository-name.ts';
import { GitHubPullRequest } from './github-pull-request.ts';

const Numbered = z.object({ number: z.int() });

/**
 * A pull request by number. A 404 alone proves nothing, since a credential may temporarily see
 * less. Null only when the repository is visible and the list of the branch's pull requests,
 * including ended ones, lacks it. Throws a GitHubError when that is uncertain.
 */
export async function findPullRequest(
  query: PullRequestQuery,
  branch: string,
): Promise<GitHubPullRequest | null> {
  const { client, access, repository, number, signal } = query;
  const auth = access.authorize(repository);
  const root = repositoryPath(repository);
  try {
    const path = `${root}/pulls/${number}`;
    return await client.json(GitHubPullRequest, auth, { path, signal });
  } catch (error) {
    const isAbsent = error instanceof GitHubError && (error.status === 404 || error.status === 410);
    if (!isAbsent) throw error;
  }
  // Without access to the repository this throws a 404 as well, which is then the error.
  await client.json(z.unknown(), auth, { path: root, signal });
  const head = encodeURIComponent(`${repository.owner}:${branch}`);
  const path = `${root}/pulls?state=all&head=${head}&per_page=100`;
  // An unreadable row may be the pull request in question, so this throws.
  const onUnreadable = (row: unknown, problem: string) => {
    const { data } = Numbered.safeParse(row);
    if (data !== undefined && data.number !== number) return;
    throw new GitHubError('response', `a pull request of ${branch} cannot be read: ${problem}`);
  };
  const listed = await client.list(GitHubPullRequest, auth, { path, signal, onUnreadable });
  return listed.find((pull) => pull.number === number) ?? null;
}
