import type { EffectiveConfig } from '../../../config/schema/config-schema.ts';

const PUBLIC_API = 'https://api.github.com';
const PUBLIC_WEB = 'https://github.com';

export type GitHubApp = { id: string; privateKey: string; installationId: number | undefined };
type Configured = NonNullable<EffectiveConfig['codehost']['github']>;

/** How GitHub is reached, and the options of new pull requests. */
export type GitHubSettings = {
  /** API address without a trailing slash. */
  apiBaseUrl: string;
  graphqlUrl: string;
  /** Address of repositories for git and for people, without a trailing slash. */
  webBaseUrl: string;
  token: string | undefined;
  /** The App; used instead of the token if set. */
  app: GitHubApp | undefined;
  draft: boolean;
  labels: readonly string[];
  reviewers: readonly string[];
  teamReviewers: readonly string[];
  /** Logins of bots whose comments count. */
  namedBots: readonly string[];
};

/**
 * The settings of GitHub as the code host; null when it is not configured or another host is used.
 */
export function githubSettings(config: EffectiveConfig): GitHubSettings | null {
  return config.codehost.kind === 'local' ? null : githubAccount(config);
}

/** The configured GitHub; null when neither a token nor an App is set. */
export function githubAccount(config: EffectiveConfig): GitHubSettings | null {
  const github = config.codehost.github;
  if (github === undefined) return null;
  const app = appOf(github);
  const { token, draft, labels, reviewers, teamReviewers } = github;
  if (app === undefined && isBlank(token)) return null;
  return {
    ...githubAddresses(github),
    token,
    app,
    draft,
    labels,
    reviewers,
    teamReviewers,
    namedBots: namedBots(config),
  };
}

/**
 * Bots that the settings name among those whose comments count. An App may be named as on GitHub's
 * pages, without `[bot]`; in the list of authors that would be a person.
 */
export function namedBots({ tracker }: Pick<EffectiveConfig, 'tracker'>): readonly string[] {
  const bots = tracker.allowedBots.flatMap((name) => [name, `${name.trim()}[bot]`]);
  return [...bots, ...tracker.allowedAuthors];
}

function appOf(github: Configured): GitHubApp | undefined {
  const { appId: id, appPrivateKey: privateKey, appInstallationId: installationId } = github;
  if (id === undefined || privateKey === undefined || privateKey === '') return undefined;
  return { id, privateKey, installationId };
}

/** API addresses: a self-hosted server has REST under `/api/v3` and GraphQL beside it. */
export function githubAddresses(given: {
  endpoint?: string | undefined;
  url?: string | undefined;
}) {
  const apiBaseUrl = withoutSlash(given.endpoint ?? PUBLIC_API);
  const own = /^(.*)\/api\/v3$/.exec(apiBaseUrl)?.[1];
  const web = own ?? (apiBaseUrl === PUBLIC_API ? PUBLIC_WEB : new URL(apiBaseUrl).origin);
  return {
    apiBaseUrl,
    graphqlUrl: own === undefined ? `${apiBaseUrl}/graphql` : `${own}/api/graphql`,
    webBaseUrl: withoutSlash(given.url ?? web),
  };
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text === '';
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
