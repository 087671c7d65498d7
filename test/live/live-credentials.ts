/** What the live suites need; each is left out where its variables are not all set. */
export type LiveCredentials = {
  linear: { apiKey: string; team: string; endpoint: string } | null;
  github: {
    token: string;
    /** `owner/name`; the second is for suites that need two. */
    repositories: readonly [string, string];
    apiUrl: string;
    webUrl: string;
  } | null;
};

export const LIVE_VARIABLES = {
  linear: ['LIVE_LINEAR_API_KEY', 'LIVE_LINEAR_TEAM'],
  github: ['LIVE_GITHUB_TOKEN', 'LIVE_GITHUB_REPOSITORY', 'LIVE_GITHUB_SECOND_REPOSITORY'],
} as const;

/** Reads `LIVE_*`. Addresses may be others than the public services': `LIVE_LINEAR_ENDPOINT`, … */
export function liveCredentials(
  env: Readonly<Record<string, string | undefined>>,
): LiveCredentials {
  const [apiKey, team] = LIVE_VARIABLES.linear.map((name) => env[name] ?? '');
  const [token, first, second] = LIVE_VARIABLES.github.map((name) => env[name] ?? '');
  return {
    linear:
      apiKey && team
        ? {
            apiKey,
            team,
            endpoint: env['LIVE_LINEAR_ENDPOINT'] || 'https://api.linear.app/graphql',
          }
        : null,
    github:
      token && first && second
        ? {
            token,
            repositories: [first, second],
            apiUrl: env['LIVE_GITHUB_API_URL'] || 'https://api.github.com',
            webUrl: env['LIVE_GITHUB_URL'] || 'https://github.com',
          }
        : null,
  };
}

/** The credentials of one service, for its own suite. Throws where they are not set. */
export function requireLive<Name extends keyof LiveCredentials>(
  name: Name,
): NonNullable<LiveCredentials[Name]> {
  const given = liveCredentials(process.env)[name];
  if (given === null) throw new Error(`${LIVE_VARIABLES[name].join(', ')} are not all set`);
  return given;
}
