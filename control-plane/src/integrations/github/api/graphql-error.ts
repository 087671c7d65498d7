import { cutText } from '@switchyard/shared/text/cut-text';
import { GitHubError } from './github-error.ts';

export type GraphqlError = { type?: unknown; message?: unknown };

/** The equivalent REST status of an error type; an error without a type is GitHub's own failure. */
const STATUSES: Readonly<Record<string, number>> = { FORBIDDEN: 403, NOT_FOUND: 404 };

/**
 * The error of a GraphQL operation, which GitHub reports with status 200. `retryAtMs`: set when it
 * was rate limited.
 */
export function graphqlError(
  { type, message }: GraphqlError,
  retryAtMs: number | null,
): GitHubError {
  const text = `GraphQL: ${cutText(String(message), 500)}`;
  if (retryAtMs !== null) return new GitHubError('rate_limited', text, { retryAtMs });
  if (typeof type !== 'string') return new GitHubError('response', text);
  return new GitHubError('status', text, { status: STATUSES[type] ?? 422 });
}
