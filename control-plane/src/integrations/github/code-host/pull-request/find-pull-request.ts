import { z } from 'zod';
import type { PullRequestQuery } from '../../api/github-connections.ts';
import { GitHubError } from '../../api/github-error.ts';
import { repositoryPath } from '../../api/repository-name.ts';
import { GitHubPullRequest } from './github-pull-request.ts';

const Numbered = z.object({ number: z.int() });

/**
 * A pull request by its number. A 404 alone says nothing: a credential may see less for a while.
 * Null only when its repository is seen and the list of the branch's pull requests, ended ones
 * among them, does not have it. Throws a GitHubError when that is not certain.
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
  // Who does not see the repository is told 404 here too, and that is the error then.
  await client.json(z.unknown(), auth, { path: root, signal });
  const head = encodeURIComponent(`${repository.owner}:${branch}`);
  const path = `${root}/pulls?state=all&head=${head}&per_page=100`;
  // One that cannot be read may be the one that is looked for.
  const onUnreadable = (row: unknown, problem: string) => {
    const { data } = Numbered.safeParse(row);
    if (data !== undefined && data.number !== number) return;
    throw new GitHubError('response', `a pull request of ${branch} cannot be read: ${problem}`);
  };
  const listed = await client.list(GitHubPullRequest, auth, { path, signal, onUnreadable });
  return listed.find((pull) => pull.number === number) ?? null;
}
