import { eq } from 'drizzle-orm';
import { createGitHubCodeHost } from '../../control-plane/src/integrations/github/code-host/github-code-host.ts';
import { defaultConfig } from '../../control-plane/src/config/schema/config-schema.ts';
import { pullRequests } from '../../control-plane/src/db/schema/work/pull-requests.ts';
import { createGitHubConnections } from '../../control-plane/src/integrations/github/api/github-connections.ts';
import { type CodeHostHarness, describeCodeHost } from '../contracts/describe-code-host.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { createTestPorts } from '../support/test-ports.ts';
import { type GitHubRest, githubRest } from './github-rest.ts';
import { type LiveCredentials, requireLive } from './live-credentials.ts';

type Pull = { number: number; head: { ref: string; sha: string } };

describeCodeHost('live github', () => liveHarness(requireLive('github')));

async function liveHarness(
  given: NonNullable<LiveCredentials['github']>,
): Promise<CodeHostHarness> {
  const { db, close } = await createTestDatabase();
  const urls = given.repositories.map((name) => `${given.webUrl}/${name}.git`);
  const [first = '', second = ''] = urls;
  const rests = new Map(
    given.repositories.map((name, index) => [urls[index] ?? '', githubRest(given, name)]),
  );
  const config = {
    ...defaultConfig(),
    codehost: {
      github: {
        endpoint: given.apiUrl,
        url: given.webUrl,
        token: given.token,
        draft: false,
        labels: [],
        reviewers: [],
        teamReviewers: [],
      },
    },
  };
  const ports = { ...createTestPorts(), clock: { nowMs: () => Date.now() } };
  const github = createGitHubConnections({
    config: { latest: () => config },
    clock: ports.clock,
    resolveSecret: async () => null,
  });
  const codeHost = createGitHubCodeHost({ db, ...ports, github });
  const commits = new LiveCommits();
  const pushed = new Map<string, Set<string>>();
  const restOf = (url: string) => {
    const rest = rests.get(url);
    if (rest === undefined) throw new Error(`no repository at ${url}`);
    return rest;
  };
  return {
    codeHost: {
      ...codeHost,
      // What the runner pushes before; the suite's commits stand for real ones.
      openPullRequest: async (input) => {
        const rest = restOf(input.repositoryUrl);
        const commitSha = await commits.push(rest, input.repositoryUrl, input);
        const branches = pushed.get(input.repositoryUrl) ?? new Set();
        pushed.set(input.repositoryUrl, branches.add(input.branch));
        const opened = await codeHost.openPullRequest({ ...input, commitSha });
        return { ...opened, commitSha: commits.standIn(opened.commitSha) };
      },
    },
    urls: { first, second, foreign: 'https://code.example/a/b.git' },
    human: {
      openPullRequests: async (url) => {
        const open = await restOf(url).ask<Pull[]>('GET', '/pulls?state=open&per_page=100');
        return open.map(({ head }) => ({ branch: head.ref, commitSha: commits.standIn(head.sha) }));
      },
      close: async (id) => {
        const [row] = await db.select().from(pullRequests).where(eq(pullRequests.id, id));
        if (row === undefined) throw new Error(`no pull request ${id}`);
        await restOf(row.repository_url).ask('PATCH', `/pulls/${row.number}`, { state: 'closed' });
      },
    },
    close: async () => {
      for (const [url, branches] of pushed) {
        // Their pull requests close with them.
        for (const branch of branches) await restOf(url).ask('DELETE', `/git/refs/heads/${branch}`);
      }
      await close();
    },
  };
}

/** Real commits for those that the suite names, one each and repository. */
class LiveCommits {
  readonly #real = new Map<string, Promise<string>>();
  readonly #standIns = new Map<string, string>();

  /** Has the branch at the real commit. */
  async push(
    rest: GitHubRest,
    url: string,
    { branch, base, commitSha }: { branch: string; base: string; commitSha: string },
  ): Promise<string> {
    const key = `${url} ${commitSha}`;
    const making = this.#real.get(key) ?? this.#make(rest, base, commitSha);
    this.#real.set(key, making);
    const sha = await making;
    try {
      await rest.ask('POST', '/git/refs', { ref: `refs/heads/${branch}`, sha });
    } catch {
      // It is there already.
      await rest.ask('PATCH', `/git/refs/heads/${branch}`, { sha, force: true });
    }
    return sha;
  }

  standIn(sha: string): string {
    return this.#standIns.get(sha) ?? sha;
  }

  async #make(rest: GitHubRest, base: string, standIn: string): Promise<string> {
    type Ref = { object: { sha: string } };
    const { object } = await rest.ask<Ref>('GET', `/git/ref/heads/${base}`);
    const content = { path: 'live-test.txt', mode: '100644', type: 'blob', content: standIn };
    const tree = await rest.ask<{ sha: string }>('POST', '/git/trees', {
      base_tree: object.sha,
      tree: [content],
    });
    const commit = await rest.ask<{ sha: string }>('POST', '/git/commits', {
      message: `Live test ${standIn.slice(0, 4)}`,
      tree: tree.sha,
      parents: [object.sha],
    });
    this.#standIns.set(commit.sha, standIn);
    return commit.sha;
  }
}
