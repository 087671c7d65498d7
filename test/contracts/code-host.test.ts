import { and, eq } from 'drizzle-orm';
import { closePullRequest } from '../../control-plane/src/codehosts/local/close-pull-request.ts';
import { createLocalCodeHost } from '../../control-plane/src/codehosts/local/local-code-host.ts';
import { pullRequests } from '../../control-plane/src/db/schema/pull-requests.ts';
import { PERSON } from '../support/local-tracker-fixture.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { createTestPorts } from '../support/test-ports.ts';
import { type CodeHostHarness, describeCodeHost } from './describe-code-host.ts';

describeCodeHost('local', async (): Promise<CodeHostHarness> => {
  const { db, close } = await createTestDatabase();
  const deps = { db, ...createTestPorts(), publicOrigin: () => null };
  return {
    codeHost: createLocalCodeHost(deps),
    urls: {
      first: 'file:///srv/first.git',
      second: 'file:///srv/second.git',
      foreign: 'https://code.example/a/b.git',
    },
    human: {
      openPullRequests: (repositoryUrl) =>
        db
          .select({ branch: pullRequests.branch, commitSha: pullRequests.commit_sha })
          .from(pullRequests)
          .where(
            and(eq(pullRequests.repository_url, repositoryUrl), eq(pullRequests.status, 'open')),
          ),
      close: async (id) => void (await closePullRequest(deps, PERSON, id)),
    },
    close,
  };
});
