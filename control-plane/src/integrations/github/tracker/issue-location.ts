import type { z } from 'zod';
import type { GitHubRequest } from '../api/github-client.ts';
import type { GitHubConnection } from '../api/github-connections.ts';
import { repositoryPath } from '../api/repository-name.ts';
import type { TrackedRepository } from './github-tracker-settings.ts';

/** An issue's repository and number, and the connection to the GitHub that the issue is on. */
export type IssueLocation = {
  connection: GitHubConnection;
  tracked: TrackedRepository;
  number: number;
};

/** Parameters of requests below an issue's repository. */
export function requestsTo({ connection, tracked }: Omit<IssueLocation, 'number'>) {
  const { client, access } = connection;
  const auth = access.authorize(tracked.repository);
  const root = repositoryPath(tracked.repository);
  return {
    one: <T>(schema: z.ZodType<T>, request: GitHubRequest) =>
      client.json(schema, auth, { ...request, path: `${root}${request.path}` }),
    all: <T>(
      row: z.ZodType<T>,
      path: string,
      more: Pick<GitHubRequest, 'onMore' | 'onUnreadable'> = {},
    ) => client.list(row, auth, { path: `${root}${path}`, ...more }),
  };
}
