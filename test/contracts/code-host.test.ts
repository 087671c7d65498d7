import { and, eq } from 'drizzle-orm';
import { createLocalCodeHost } from '../../control-plane/src/integrations/local/code-host/local-code-host.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { createGitHubCodeHost } from '../../control-plane/src/integrations/github/code-host/github-code-host.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { defaultConfig } from '../../control-plane/src/config/schema/config-schema.ts';
import { FakeGitHub } from '../support/github/fake-github.ts';
import { PERSON } from '../support/local-tracker-fixture.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { createTestPorts } from '../support/test-ports.ts';
import { type CodeHostHarness, describeCodeHost } from './describe-code-host.ts';
import { closePullRequest } from '../../control-plane/src/integrations/local/code-host/record-end.ts';

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

for (const mode of ['token', 'app'] as const) {
  describeCodeHost(`github with ${mode}`, async (): Promise<CodeHostHarness> => {
    const { db, close } = await createTestDatabase();
    const fake = await FakeGitHub.start();
    const repositories = [
      fake.addRepository('acme', 'first'),
      fake.addRepository('acme', 'second'),
    ];
    const byUrl = new Map(repositories.map((one) => [fake.urlOf(one), one]));
    const [first = '', second = ''] = byUrl.keys();
    const { token, privateKey, appId } = fake.credentials;
    const access = mode === 'token' ? { token } : { appId, appPrivateKey: privateKey };
    const more = { draft: false, labels: ['agent'], reviewers: [], teamReviewers: [] };
    const config = {
      ...defaultConfig(),
      codehost: { github: { endpoint: fake.apiUrl, url: fake.webUrl, ...access, ...more } },
    };
    const ports = { ...createTestPorts(), clock: { nowMs: () => Date.now() } };
    const github = createGitHubConnections({
      config: { latest: () => config },
      clock: ports.clock,
      resolveSecret: async () => null,
    });
    const codeHost = createGitHubCodeHost({ db, ...ports, github });
    return {
      codeHost: {
        ...codeHost,
        // What the runner pushes before.
        openPullRequest: (input) => {
          byUrl.get(input.repositoryUrl)?.branches.set(input.branch, input.commitSha);
          return codeHost.openPullRequest(input);
        },
      },
      urls: { first, second, foreign: 'https://code.example/a/b.git' },
      human: {
        openPullRequests: async (url) => {
          const repository = byUrl.get(url);
          const open = repository?.pulls.filter(({ state }) => state === 'open') ?? [];
          return open.map(({ headRef: branch }) => ({
            branch,
            commitSha: repository?.branches.get(branch) ?? '',
          }));
        },
        close: async (id) => {
          const [row] = await db.select().from(pullRequests).where(eq(pullRequests.id, id));
          const pulls = byUrl.get(row?.repository_url ?? '')?.pulls ?? [];
          const pull = pulls.find(({ number }) => number === row?.number);
          if (pull !== undefined) pull.state = 'closed';
        },
      },
      close: async () => {
        await fake.close();
        await close();
      },
    };
  });
}
