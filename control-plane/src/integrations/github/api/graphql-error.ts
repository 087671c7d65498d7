import { cutText } from '@switchyard/shared/text/cut-text';
import { GitHubError } from './github-error.ts';

export type GraphqlError = { type?: unknown; message?: unknown };

/** What REST would have answered; one without a type is GitHub's own trouble. */
const STATUSES: Readonly<Record<string, number>> = { FORBIDDEN: 403, NOT_FOUND: 404 };

/** The error of an operation, which GraphQL answers with 200. `retryAtMs`: it was limited. */
export function graphqlError(
  { type, message }: GraphqlError,
  retryAtMs: number | null,
): GitHubError {
  const words = `GraphQL: ${cutText(String(message), 500)}`;
  if (retryAtMs !== null) return new GitHubError('rate_limited', words, { retryAtMs });
  if (typeof type !== 'string') return new GitHubError('response', words);
  return new GitHubError('status', words, { status: STATUSES[type] ?? 422 });
}
