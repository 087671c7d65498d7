import { shownRepository } from '@switchyard/shared/text/repository-url';
import { z } from 'zod';
import type { SetupCheck } from '@switchyard/shared/api/admin/setup';
import type { Deps } from '../../../deps.ts';
import {
  connectionTo,
  createGitHubConnections,
  type GitHubConnection,
} from '../../../integrations/github/api/github-connections.ts';
import { GitHubError } from '../../../integrations/github/api/github-error.ts';
import {
  type RepositoryName,
  repositoryPath,
} from '../../../integrations/github/api/repository-name.ts';
import { GITHUB_TRACKER } from '../../../integrations/github/tracker/github-tracker-settings.ts';
import { type MissingPermission, probePermissions } from './probe-permissions.ts';

const MAX_REPOSITORIES = 20;

const Repository = z.object({
  full_name: z.string(),
  default_branch: z.string(),
  permissions: z.object({ push: z.boolean() }).optional(),
});

/**
 * Checks whether a pull request could be opened for every route, by querying GitHub about its
 * repositories.
 */
export async function checkCodeHosts(
  deps: Pick<Deps, 'config' | 'clock' | 'resolveSecret' | 'codeHosts'>,
): Promise<Omit<SetupCheck, 'step' | 'checkedAt'>> {
  const { repos } = await deps.config.load();
  const urls = [...new Set(repos.map(({ url }) => url))].slice(0, MAX_REPOSITORIES);
  if (urls.length === 0) return { ok: false, message: 'There is no repository yet', notes: [] };
  const branchesOf = (url: string) => {
    const routes = repos.filter((route) => route.url === url);
    return new Set(routes.flatMap(({ default_branch: branch }) => branch ?? []));
  };
  const looks = await Promise.all(urls.map((url) => checkAt(deps, url, branchesOf(url))));
  const problem = looks.find((result) => !result.ok);
  return {
    ok: problem === undefined,
    message: problem?.text ?? 'Pull requests can be opened for every repository',
    notes: looks.map(({ text }) => text),
  };
}

async function checkAt(
  deps: Pick<Deps, 'config' | 'clock' | 'resolveSecret' | 'codeHosts'>,
  url: string,
  branches: ReadonlySet<string>,
): Promise<{ ok: boolean; text: string }> {
  const host = deps.codeHosts.find((each) => each.serves(url));
  if (host === undefined) return noHost(deps, url);
  const connection = connectionTo(createGitHubConnections(deps), url);
  if (connection === null)
    return { ok: true, text: `${shownRepository(url)}: pull requests are kept here` };
  const { client, access, repository } = connection;
  try {
    const found = await client.json(Repository, access.authorize(repository), {
      path: repositoryPath(repository),
    });
    if (found.permissions?.push === false) {
      return { ok: false, text: `${found.full_name}: the token may not push` };
    }
    const gone = await missingBranch(connection, repository, branches);
    if (gone !== null) {
      const message = `it has no branch ${gone}, which is the default_branch of its route`;
      return {
        ok: false,
        text: `${found.full_name}: ${message}: create it there, or change the route`,
      };
    }
    const { tracker } = await deps.config.load();
    const missing = await probePermissions(connection, repository, {
      defaultBranch: found.default_branch,
      withIssues: tracker.kind === GITHUB_TRACKER,
    });
    return verdictOn(found.full_name, missing);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { ok: false, text: `${shownRepository(url)}: ${error.message}` };
  }
}

/** The first branch that a repository lacks; null when it has all, as far as the token can see. */
async function missingBranch(
  { client, access }: GitHubConnection,
  repository: RepositoryName,
  branches: ReadonlySet<string>,
): Promise<string | null> {
  for (const branch of branches) {
    const ref = encodeURIComponent(`heads/${branch}`);
    const path = `${repositoryPath(repository)}/git/ref/${ref}`;
    try {
      await client.json(z.unknown(), access.authorize(repository), { path });
    } catch (error) {
      if (!(error instanceof GitHubError) || error.category !== 'status') throw error;
      if (error.status === 404) return branch;
    }
  }
  return null;
}

function verdictOn(name: string, missing: readonly MissingPermission[]) {
  if (missing.length === 0) return { ok: true, text: `${name}: the token may all that is needed` };
  const lacking = missing.map(({ permission, without }) => `${permission} (else ${without})`);
  const isEnough = missing.every(({ isNeeded }) => !isNeeded);
  const start = isEnough ? 'enough to deliver, but the token' : 'the token';
  return { ok: isEnough, text: `${name}: ${start} lacks ${lacking.join(', ')}` };
}

/** The problem of a route without a code host: no token is set, or it belongs to another server. */
function noHost(deps: Pick<Deps, 'clock' | 'config' | 'resolveSecret'>, url: string) {
  const github = createGitHubConnections(deps)();
  const why =
    github === null
      ? 'no code host takes it; set a token'
      : `it does not lie on ${github.settings.webBaseUrl}, where the token is for; pull requests are opened on GitHub or a GitHub server of your own`;
  return { ok: false, text: `${shownRepository(url)}: ${why}` };
}
