import type { EffectiveConfig } from '../../../config/schema/config-schema.ts';
import type { ConfigStore } from '../../../config/config-store.ts';
import type { ResolveSecret } from '../../../config/resolve-secret.ts';
import type { Clock } from '../../../ports/ports.ts';
import { GitHubAccess } from './github-access.ts';
import { GitHubClient } from './github-client.ts';
import { GitHubPeople } from './github-people.ts';
import { type GitHubSettings, githubSettings } from './github-settings.ts';
import { repositoryName, type RepositoryName } from './repository-name.ts';

export type GitHubConnection = {
  settings: GitHubSettings;
  client: GitHubClient;
  access: GitHubAccess;
  people: GitHubPeople;
};

/** Provides the configured GitHub as of now; null when none is configured. */
export type CurrentGitHub = () => GitHubConnection | null;

/**
 * A connection that follows the configuration: tokens and responses are cached until it changes.
 */
export function createGitHubConnections(deps: {
  config: Pick<ConfigStore, 'latest'>;
  clock: Clock;
  resolveSecret: ResolveSecret;
  fetch?: typeof fetch;
  /** Selects the settings; left out: those for pull requests. */
  settingsOf?: (config: EffectiveConfig) => GitHubSettings | null;
}): CurrentGitHub {
  let made: { key: string; connection: GitHubConnection } | null = null;
  return () => {
    const settings = (deps.settingsOf ?? githubSettings)(deps.config.latest());
    if (settings === null) return null;
    const key = JSON.stringify(settings);
    if (made?.key !== key) {
      const client = new GitHubClient(deps, settings);
      const access = new GitHubAccess(deps, settings, client);
      const people = new GitHubPeople(deps.clock, client, access, settings.namedBots);
      made = { key, connection: { settings, client, access, people } };
    }
    return made.connection;
  };
}

/** The connection for a repository with its name; null when another host serves it. */
export function connectionTo(
  current: CurrentGitHub,
  repositoryUrl: string,
): (GitHubConnection & { repository: RepositoryName }) | null {
  const connection = current();
  if (connection === null) return null;
  const repository = repositoryName(repositoryUrl, connection.settings.webBaseUrl);
  return repository === null ? null : { ...connection, repository };
}

/** The context of one sync of a pull request. */
export type PullRequestQuery = GitHubConnection & {
  repository: RepositoryName;
  number: number;
  signal: AbortSignal;
};
