import { z } from 'zod';
import type { GitHubConnection } from '../../../integrations/github/api/github-connections.ts';
import { GitHubError } from '../../../integrations/github/api/github-error.ts';
import {
  type RepositoryName,
  repositoryPath,
} from '../../../integrations/github/api/repository-name.ts';
import { lacksPermission } from '../../../integrations/github/api/null-if-forbidden.ts';

type Probe = {
  /** The permission's name on GitHub's pages for tokens and Apps. */
  permission: string;
  /** What does not work without the permission. */
  without: string;
  isNeeded: boolean;
  method?: 'POST';
  /** Request path below the repository. */
  path: string;
  body?: object;
};

export type MissingPermission = Pick<Probe, 'permission' | 'without' | 'isNeeded'>;

const NO_COMMIT = '0'.repeat(40);

/**
 * Tests each permission that is used, with requests that only read, or that GitHub must refuse for
 * another reason: a ref to a missing commit, a pull request of a branch into itself.
 */
export async function probePermissions(
  { client, access }: GitHubConnection,
  repository: RepositoryName,
  given: { defaultBranch: string; withIssues: boolean },
): Promise<MissingPermission[]> {
  const auth = access.authorize(repository);
  const root = repositoryPath(repository);
  const tried = probesOf(given).map(async (probe) => {
    const { method = 'GET' as const, path, body } = probe;
    try {
      const request = { method, path: `${root}${path}`, ...(body === undefined ? {} : { body }) };
      await client.json(z.unknown(), auth, request);
      return [];
    } catch (error) {
      if (lacksPermission(error)) return [probe];
      // The request itself was refused, not the caller: the permission exists.
      if (error instanceof GitHubError && error.category === 'status') return [];
      throw error;
    }
  });
  return (await Promise.all(tried)).flat();
}

function probesOf({
  defaultBranch: branch,
  withIssues,
}: {
  defaultBranch: string;
  withIssues: boolean;
}): Probe[] {
  const at = `/commits/${encodeURIComponent(branch)}`;
  const pull = { title: 'Switchyard tries a permission', head: branch, base: branch };
  const ref = { ref: 'refs/heads/switchyard/permission', sha: NO_COMMIT };
  const push = { method: 'POST', path: '/git/refs', body: ref } as const;
  const open = { method: 'POST', path: '/pulls', body: pull } as const;
  const needed = { isNeeded: true };
  const useful = { isNeeded: false };
  return [
    { ...push, ...needed, permission: 'Contents: write', without: 'branches cannot be pushed' },
    { ...open, ...needed, permission: 'Pull requests: write', without: 'nothing can be delivered' },
    {
      path: `${at}/check-runs?per_page=1`,
      ...useful,
      permission: 'Checks: read',
      without: 'only jobs of GitHub Actions are seen; GitHub gives it to Apps and classic tokens',
    },
    {
      path: '/actions/runs?per_page=1',
      ...useful,
      permission: 'Actions: read',
      without: 'logs of failed jobs are not read',
    },
    {
      path: `${at}/status?per_page=1`,
      ...useful,
      permission: 'Commit statuses: read',
      without: 'failed statuses are not heard',
    },
    ...(withIssues
      ? [
          {
            path: '/issues?per_page=1',
            ...needed,
            permission: 'Issues: read',
            without: 'issues cannot be read',
          },
        ]
      : []),
  ];
}
