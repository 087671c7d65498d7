import {
  type CodeHost,
  type GitCredentials,
  CodeHostError,
} from '../../../ports/code-host/code-host.ts';
import { githubAgentApi } from './agent-api/agent-api.ts';
import { checkGitHubWebhook } from './check-github-webhook.ts';
import { GITHUB_CODE_HOST, type GitHubCodeHostDeps } from './github-code-host-deps.ts';
import { connectionTo } from '../api/github-connections.ts';
import { readPullRequestHints } from './read-pull-request-hints.ts';
import { openGitHubPullRequest } from './pull-request/open-pull-request.ts';
import type { OnIgnored } from './pull-request/read-feedback.ts';
import { viewGitHubPullRequest } from './pull-request/view-pull-request.ts';
import { GitHubError } from '../api/github-error.ts';

/** GitHub accepts any user name with a token; this is the one intended for App tokens. */
const TOKEN_USER = 'x-access-token';
const MAX_NOTED = 5_000;

/** GitHub, or a server with its API, for the repositories below its address. */
export function createGitHubCodeHost(deps: GitHubCodeHostDeps): CodeHost {
  const reading = { github: deps.github, onIgnored: noteOnce(deps) };
  return {
    kind: GITHUB_CODE_HOST,
    serves: (repositoryUrl) => connectionTo(deps.github, repositoryUrl) !== null,
    openPullRequest: (input) => asCodeHostError(() => openGitHubPullRequest(deps, input)),
    gitCredentials: (repositoryUrl) => asCodeHostError(() => gitCredentials(deps, repositoryUrl)),
    viewPullRequest: (pullRequest, signal) =>
      asCodeHostError(() => viewGitHubPullRequest(reading, pullRequest, signal)),
    hintsOf: (event, body) => readPullRequestHints(deps.github, event, body),
    checkWebhook: (given, signal) =>
      asCodeHostError(() => checkGitHubWebhook(deps.github, given, signal)),
    agentApi: (repositoryUrl) => githubAgentApi(deps, repositoryUrl),
  };
}

/** Each sync reads an ignored comment again; its author and the reason are logged once. */
function noteOnce({ logger }: Pick<GitHubCodeHostDeps, 'logger'>): OnIgnored {
  const noted = new Set<string>();
  return ({ key, where, author, why }) => {
    if (noted.has(key)) return;
    if (noted.size >= MAX_NOTED) noted.clear();
    noted.add(key);
    logger.info('a word on a pull request was not taken', { where, author, why });
  };
}

/** Only for HTTPS addresses: ssh has its own key. */
async function gitCredentials(
  deps: Pick<GitHubCodeHostDeps, 'github'>,
  repositoryUrl: string,
): Promise<GitCredentials | null> {
  const there = connectionTo(deps.github, repositoryUrl);
  if (there === null || new URL(repositoryUrl).protocol === 'ssh:') return null;
  const { token, expiresAtMs } = await there.access.token(there.repository, 'git');
  return { username: TOKEN_USER, password: token, expiresAtMs };
}

/** Runs requests to GitHub and converts their errors to those of the port. */
async function asCodeHostError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const { retryable, retryAtMs } = error;
    throw new CodeHostError(`GitHub: ${error.message}`, {
      retryable,
      ...(retryAtMs === undefined ? {} : { retryAtMs }),
    });
  }
}
