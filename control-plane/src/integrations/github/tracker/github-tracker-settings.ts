import type { EffectiveConfig } from '../../../config/schema/config-schema.ts';
import {
  githubAddresses,
  githubAccount,
  type GitHubSettings,
  namedBots,
} from '../api/github-settings.ts';
import { repositoryName, type RepositoryName } from '../api/repository-name.ts';

export const GITHUB_TRACKER = 'github';

const PREFIX = /^[A-Za-z][A-Za-z0-9]*$/;
/** Prefix of identifiers in a repository whose route has none, if it is the only one. */
const ONLY_PREFIX = 'GH';

export type TrackedRepository = { repository: RepositoryName; prefix: string };

/** The settings of GitHub as the tracker: as for pull requests, unless the tracker has its own. */
export function githubTrackerSettings(config: EffectiveConfig): GitHubSettings | null {
  const own = config.tracker.github;
  const shared = githubAccount(config);
  if (own?.apiKey === undefined || own.apiKey === '') return shared;
  const endpoint = own.endpoint ?? config.codehost.github?.endpoint;
  const addresses = githubAddresses({ endpoint, url: config.codehost.github?.url });
  const none = { draft: false, labels: [], reviewers: [], teamReviewers: [] };
  return {
    ...none,
    namedBots: namedBots(config),
    ...shared,
    ...addresses,
    token: own.apiKey,
    app: undefined,
  };
}

/** The routes' repositories on this GitHub, each with the prefix of its identifiers. */
export function trackedRepositories(
  config: EffectiveConfig,
  { webBaseUrl }: GitHubSettings,
): TrackedRepository[] {
  const found = new Map<string, { repository: RepositoryName; prefix: string | null }>();
  for (const route of config.repos) {
    const repository = repositoryName(route.url, webBaseUrl);
    if (repository === null) continue;
    const key = `${repository.owner}/${repository.name}`.toLowerCase();
    const prefix = prefixOf(route.prefix) ?? found.get(key)?.prefix ?? null;
    found.set(key, { repository, prefix });
  }
  const all = [...found.values()];
  return all.flatMap(({ repository, prefix }) => {
    const used = prefix ?? (all.length === 1 ? ONLY_PREFIX : null);
    return used === null ? [] : [{ repository, prefix: used }];
  });
}

function prefixOf(text: string | undefined): string | null {
  const bare = text?.trim().replace(/-$/, '') ?? '';
  return PREFIX.test(bare) ? bare.toUpperCase() : null;
}
