import { cutText } from '@switchyard/shared/text/cut-text';
import { parseJson } from '@switchyard/shared/text/parse-json';

/** Why GitHub gave no usable response. */
export type GitHubErrorCategory =
  | 'transport'
  | 'status'
  | 'response'
  | 'pagination'
  | 'rate_limited'
  | 'auth';

export class GitHubError extends Error {
  readonly category: GitHubErrorCategory;
  /** HTTP status, of a GraphQL error the equivalent one; null when the error has none. */
  readonly status: number | null;
  /** Time before which a retry is useless, epoch milliseconds. */
  readonly retryAtMs: number | undefined;
  /** What is wrong with an unreadable response, without the request. */
  readonly problem: string | undefined;
  constructor(
    category: GitHubErrorCategory,
    message: string,
    more: { status?: number; retryAtMs?: number; problem?: string } = {},
  ) {
    super(message);
    this.name = 'GitHubError';
    this.category = category;
    this.status = more.status ?? null;
    this.retryAtMs = more.retryAtMs;
    this.problem = more.problem;
  }

  /** Whether a retry may succeed later. A missing resource may only be invisible for now. */
  get retryable(): boolean {
    const { category, status } = this;
    if (category === 'transport' || category === 'rate_limited' || category === 'auth') return true;
    return category === 'response' || status === 404 || (status !== null && status >= 500);
  }

  /**
   * Whether GitHub understood and refused the request. A missing permission is not included,
   * because a person can grant it.
   */
  get isRefusal(): boolean {
    return this.category === 'status' && this.status !== 403 && !this.retryable;
  }
}

/** Whether a response reports a rate limit. `text` is its body. */
export function isLimited({ status, headers }: Response, text: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  const isSpent = headers.get('X-RateLimit-Remaining') === '0';
  return headers.has('Retry-After') || isSpent || /rate limit/i.test(text);
}

/** The error for an unexpected response. `text` is its body, at most a few KiB. */
export function errorOfResponse(
  what: string,
  response: Response,
  { text, retryAtMs }: { text: string; retryAtMs: number | null },
): GitHubError {
  const { status } = response;
  const message = `${what}: ${status} ${wordsOf(text)}`.trim();
  if (retryAtMs !== null) return new GitHubError('rate_limited', message, { status, retryAtMs });
  if (status === 401) return new GitHubError('auth', message, { status });
  return new GitHubError('status', message, { status });
}

/** GitHub's error message, with the fields that it complains about. */
function wordsOf(text: string): string {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null) return '';
  const { message, errors } = parsed as { message?: unknown; errors?: unknown };
  const details = Array.isArray(errors) ? errors.map(detailOf) : [];
  const messages = [typeof message === 'string' ? message : '', ...details];
  return cutText(
    messages
      .filter((word) => word !== '')
      .join('; ')
      .replaceAll(/[\s\p{Cc}]+/gu, ' '),
    500,
  );
}

/** One of GitHub's errors: a text, or an object whose fields say more than its message. */
function detailOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return '';
  const { resource, field, code, message } = error as Record<string, unknown>;
  const texts = (parts: readonly unknown[]) => parts.filter((part) => typeof part === 'string');
  const where = texts([resource, field]).join('.');
  const what = texts([message, code]).find((part) => part !== 'custom') ?? '';
  return [where, what].filter((part) => part !== '').join(': ');
}
