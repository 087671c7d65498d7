import { cutText } from '@switchyard/shared/text/cut-text';
import type { Deps } from '../../../deps.ts';
import { AppError } from '../../../errors.ts';
import { githubAddresses } from '../../../integrations/github/api/github-settings.ts';
import { repositoryName } from '../../../integrations/github/api/repository-name.ts';
import { connectedRunners } from '../../../runners/session/connected-runners.ts';

export type AddressDeps = Pick<Deps, 'db' | 'config' | 'connections'>;

const ANSWER_TIMEOUT_MS = 8_000;
const MAX_RUNNERS_TRIED = 3;
const OWNER_AND_NAME = /^[\w-]+\/[\w.-]+$/;
/** git's short form of an ssh address, without a scheme. */
const SHORT_SSH = /^([\w.-]+)@([\w.-]+):(?!\/)([^\s:]+)$/;

/**
 * The URL of a repository that a person gave in another form: a path on the runner, owner and name,
 * a page on the code host, or git's short form. Any other text is returned unchanged. Throws
 * `bad_request` for a path in a home folder if no runner can resolve it.
 */
export async function readAddress(
  deps: AddressDeps,
  text: string,
  labels: readonly string[],
): Promise<string> {
  const given = text.trim();
  if (given.startsWith('/')) return pathUrl(given);
  if (/^~(?:\/|$)/.test(given)) return askRunners(deps, given, labels);
  const { codehost } = await deps.config.load();
  const { webBaseUrl } = githubAddresses(codehost.github ?? {});
  if (OWNER_AND_NAME.test(given)) {
    const url = `${webBaseUrl}/${given}`;
    return repositoryName(url, webBaseUrl) === null ? given : url;
  }
  const ssh = SHORT_SSH.exec(given);
  if (ssh !== null) return `ssh://${ssh[1]}@${ssh[2]}/${ssh[3]}`;
  return urlOfPage(given, webBaseUrl) ?? given;
}

/** A path on a host with unknown path rules, escaped only as far as URLs require. */
function pathUrl(path: string): string {
  const escaped = path.replaceAll('%', '%25').replaceAll('\\', '%5C');
  const url = new URL('file:///');
  url.pathname = escaped
    .replace(/^\/+/, '/')
    .replace(/\/+$/, '')
    .replace(/(?<=[^/])\/\.git$/, '');
  return url.href;
}

/** Queries runners, because only they know where their home folder is. */
async function askRunners(
  deps: AddressDeps,
  path: string,
  labels: readonly string[],
): Promise<string> {
  const runnerIds = await connectedRunners(deps, labels);
  for (const runnerId of runnerIds.slice(0, MAX_RUNNERS_TRIED)) {
    try {
      const asked = { path: cutText(path, 2_048) };
      return (await deps.connections.call(runnerId, 'repository.address', asked, ANSWER_TIMEOUT_MS))
        .url;
    } catch (error) {
      // This runner is older or has just disconnected; the next one may know.
      if (!(error instanceof AppError)) throw error;
    }
  }
  const who =
    runnerIds.length === 0
      ? 'no runner is connected'
      : 'no connected runner could say where that is (older ones cannot)';
  const message = `~ is the home folder of the runner's user, and ${who}: give the whole path, as /home/me/app.git`;
  throw new AppError('bad_request', `url: ${message}`, {
    reason: 'invalid_input',
    details: [{ path: 'url', message }],
  });
}

/** The repository URL of one of its pages, as copied from a browser; null for any other text. */
function urlOfPage(given: string, webBaseUrl: string): string | null {
  const web = new URL(webBaseUrl);
  const text = /^https?:\/\//i.test(given) ? given : `${web.protocol}//${given}`;
  if (!URL.canParse(text)) return null;
  const page = new URL(text);
  const root = web.pathname.replace(/\/+$/, '');
  const isThere = page.host.replace(/^www\./, '') === web.host && page.username === '';
  if (!isThere || !page.pathname.startsWith(`${root}/`)) return null;
  const [owner, name] = page.pathname.slice(root.length + 1).split('/');
  const url = `${webBaseUrl}/${owner}/${name}`;
  return repositoryName(url, webBaseUrl) === null ? null : url;
}
