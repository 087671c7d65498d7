import { z } from 'zod';
import type { SetupCheck } from '@switchyard/shared/api/setup';
import type { Deps } from '../deps.ts';
import { connectionTo, createGitHubConnections } from '../github-api/github-connections.ts';
import { GitHubError } from '../github-api/github-error.ts';
import { repositoryPath } from '../github-api/repository-name.ts';

const MAX_REPOSITORIES = 20;

const Repository = z.object({
  full_name: z.string(),
  permissions: z.object({ push: z.boolean() }).optional(),
});

/** Whether a pull request could be opened for every route: asks GitHub about its repositories. */
export async function checkCodeHosts(
  deps: Pick<Deps, 'config' | 'clock' | 'resolveSecret' | 'codeHosts'>,
): Promise<Omit<SetupCheck, 'step' | 'checkedAt'>> {
  const { repos } = await deps.config.load();
  const urls = [...new Set(repos.map(({ url }) => url))].slice(0, MAX_REPOSITORIES);
  if (urls.length === 0) return { ok: false, message: 'There is no repository yet', notes: [] };
  const looks = await Promise.all(urls.map((url) => lookAt(deps, url)));
  const problem = looks.find((look) => !look.ok);
  return {
    ok: problem === undefined,
    message: problem?.text ?? 'Pull requests can be opened for every repository',
    notes: looks.map(({ text }) => text),
  };
}

async function lookAt(
  deps: Pick<Deps, 'config' | 'clock' | 'resolveSecret' | 'codeHosts'>,
  url: string,
): Promise<{ ok: boolean; text: string }> {
  const host = deps.codeHosts.find((each) => each.serves(url));
  if (host === undefined) return noHost(deps, url);
  const connection = connectionTo(createGitHubConnections(deps), url);
  if (connection === null) return { ok: true, text: `${url}: pull requests are kept here` };
  const { client, access, repository } = connection;
  try {
    const found = await client.json(Repository, access.authorize(repository), {
      path: repositoryPath(repository),
    });
    return found.permissions?.push === false
      ? { ok: false, text: `${found.full_name}: the token may not push` }
      : { ok: true, text: `${found.full_name}: the token may push` };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { ok: false, text: `${url}: ${error.message}` };
  }
}

/** Either no token is set, or the one that is set belongs to another server. */
function noHost(deps: Parameters<typeof checkCodeHosts>[0], url: string) {
  const github = createGitHubConnections(deps)();
  const why =
    github === null
      ? 'no code host takes it; set a token'
      : `it does not lie on ${github.settings.webBaseUrl}, where the token is for; pull requests are opened on GitHub or a GitHub server of your own`;
  return { ok: false, text: `${url}: ${why}` };
}
