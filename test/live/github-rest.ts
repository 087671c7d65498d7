import type { LiveCredentials } from './live-credentials.ts';

const ANSWER_TIMEOUT_MS = 30_000;

export type GitHubRest = {
  /** A request below `/repos/<repository>`; throws with the answer unless it succeeded. */
  ask<T>(method: string, path: string, body?: object): Promise<T>;
};

/** GitHub's REST API as a person's script would use it, without our adapter. */
export function githubRest(
  { token, apiUrl }: NonNullable<LiveCredentials['github']>,
  repository: string,
): GitHubRest {
  return {
    async ask<T>(method: string, path: string, body?: object): Promise<T> {
      const response = await fetch(`${apiUrl}/repos/${repository}${path}`, {
        method,
        headers: {
          accept: 'application/vnd.github+json',
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'user-agent': 'switchyard-live-tests',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? null : JSON.parse(text)) as T;
    },
  };
}
