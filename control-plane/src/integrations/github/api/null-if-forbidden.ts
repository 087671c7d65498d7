import { GitHubError } from './github-error.ts';

/**
 * Runs a request; null when the credential lacks the permission. A rate limit is no missing
 * permission and is thrown.
 */
export async function nullIfForbidden<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (lacksPermission(error)) return null;
    throw error;
  }
}

export function lacksPermission(error: unknown): error is GitHubError {
  return error instanceof GitHubError && error.category === 'status' && error.status === 403;
}
