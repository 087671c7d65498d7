import { toJson } from '@switchyard/shared/text/well-formed-json';
import { z } from 'zod';
import type { Clock } from '../../../ports/ports.ts';
import { errorOfResponse, GitHubError, isLimited } from './github-error.ts';
import {
  credentialOf,
  hold,
  type LimitedResource,
  limitOfRefusal,
  mayAsk,
  spentUntil,
} from './limit-of-refusal.ts';
import { type GraphqlError, graphqlError } from './graphql-error.ts';
import type { GitHubSettings } from './github-settings.ts';
import { problemOf } from '../../../ports/tracker/unreadable-record.ts';
import { AnswerTooLong, readBody, readTail } from '../../read-body.ts';
import { requestTrouble } from '../../request-trouble.ts';
import { isFull, nameOf, nextPage } from './next-page.ts';

const REQUEST_TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 8 * 1_048_576;
const MAX_ERROR_BYTES = 65_536;
const MAX_PAGES = 50;
const MAX_HOPS = 3;
/** Redirects after which a request is repeated with its method and body. */
const KEEPS_METHOD = new Set([307, 308]);
/** Cached responses for conditional requests, which do not count against the rate limit. */
const MAX_REMEMBERED = 500;

export type GitHubRequest = {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path below the API's address, or the whole url of a further page. */
  path: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Redirects are returned instead of being followed. */
  staysHere?: boolean;
  /** For lists: called when there are more pages than are read; left out: that is an error. */
  onMore?: () => void;
  /** For lists: called for each row that cannot be read, with the row and its problem. */
  onUnreadable?: ((row: unknown, problem: string) => void) | undefined;
};

/**
 * Returns the Authorization header for a request, or throws a GitHubError. `refused`: GitHub
 * refused the previous one.
 */
export type Authorize = (refused?: boolean) => Promise<string>;

export type GitHubClientDeps = { clock: Clock; fetch?: typeof fetch };

/** Client for one GitHub, with size and time limits, categorised errors, paging and ETags. */
export class GitHubClient {
  readonly #deps: GitHubClientDeps;
  readonly #settings: GitHubSettings;
  readonly #remembered = new Map<string, { etag: string; value: unknown; link: string | null }>();

  constructor(deps: GitHubClientDeps, settings: GitHubSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  /** One response, parsed. Throws a GitHubError. */
  async json<T>(schema: z.ZodType<T>, auth: Authorize, request: GitHubRequest): Promise<T> {
    const { value } = await this.#ask(auth, request);
    return parsed(schema, value, request);
  }

  /** All pages of a list. Rows are parsed one by one, and unreadable ones are left out. */
  async list<T>(
    row: z.ZodType<T>,
    auth: Authorize,
    request: GitHubRequest,
    rowsOf: (page: unknown) => unknown = (page) => page,
  ): Promise<T[]> {
    const rows: T[] = [];
    const seen = new Set<string>();
    let path: string | null = request.path;
    for (let pages = 0; path !== null; pages += 1) {
      if (pages >= MAX_PAGES && request.onMore !== undefined) {
        request.onMore();
        return rows;
      }
      if (pages >= MAX_PAGES || seen.has(path)) {
        throw new GitHubError('pagination', `${request.path}: the pages do not end`);
      }
      seen.add(path);
      let page = await this.#ask(auth, { ...request, path });
      // An unchanged full page does not show whether another page follows it now.
      if (page.isKnown && page.link === null && isFull(path, rowsOf(page.value))) {
        this.#remembered.delete(path);
        page = await this.#ask(auth, { ...request, path });
      }
      const found = rowsOf(page.value);
      if (!Array.isArray(found)) {
        throw new GitHubError('response', `${request.path}: not a list`);
      }
      for (const item of found) {
        const result = row.safeParse(item);
        if (result.success) rows.push(result.data);
        else request.onUnreadable?.(item, problemOf(result.error));
      }
      path = nextPage(page.link);
    }
    return rows;
  }

  /** The last bytes of a text, such as a log. Throws a GitHubError. */
  async tail(auth: Authorize, request: GitHubRequest, tailBytes: number): Promise<string> {
    const response = await this.#send(auth, request, {});
    if (!response.ok) throw await this.#errorOf(request, response);
    return readTail(response, { tailBytes, maxReadBytes: 32 * 1_048_576 });
  }

  /** Any response unparsed. Throws a GitHubError without one, or when it exceeds `maxBytes`. */
  async answer(
    auth: Authorize,
    request: GitHubRequest,
    maxBytes: number,
  ): Promise<{ response: Response; text: string }> {
    const response = await this.#send(auth, { ...request, staysHere: true }, {});
    try {
      return { response, text: await readBody(response, maxBytes) };
    } catch (error) {
      throw new GitHubError('response', `${nameOf(request)}: ${requestTrouble(error)}`);
    }
  }

  /** Runs a GraphQL operation without using its result. Throws a GitHubError. */
  async mutate(auth: Authorize, query: string, variables: Record<string, string>): Promise<void> {
    await this.graphql(z.unknown(), auth, query, variables);
  }

  /** The result of a GraphQL operation. Throws a GitHubError. */
  async graphql<T>(
    schema: z.ZodType<T>,
    auth: Authorize,
    query: string,
    variables: Record<string, unknown>,
  ): Promise<T> {
    const request = {
      method: 'POST' as const,
      path: this.#settings.graphqlUrl,
      body: { query, variables },
    };
    const { value, headers } = await this.#ask(auth, request);
    const { errors, data } = (value ?? {}) as { errors?: GraphqlError[]; data?: unknown };
    const [error] = errors ?? [];
    if (error === undefined) return parsed(schema, data, request);
    if (error.type !== 'RATE_LIMITED') throw graphqlError(error, null);
    const limit = limitOfRefusal(headers, 'graphql', this.#deps.clock.nowMs());
    hold(credentialOf(this.#settings, await auth()), limit);
    throw graphqlError(error, limit.untilMs);
  }

  async #ask(auth: Authorize, request: GitHubRequest) {
    const isRead = (request.method ?? 'GET') === 'GET';
    const known = isRead ? this.#remembered.get(request.path) : undefined;
    const headers: Record<string, string> =
      known === undefined ? {} : { 'If-None-Match': known.etag };
    const response = await this.#send(auth, request, headers);
    if (response.status === 304 && known !== undefined) {
      await response.body?.cancel();
      return { ...known, headers: response.headers, isKnown: true };
    }
    if (!response.ok) throw await this.#errorOf(request, response);
    const value = await jsonOf(request, response);
    const link = response.headers.get('Link');
    const etag = response.headers.get('ETag');
    if (isRead && etag !== null) this.#remember(request.path, { etag, value, link });
    return { value, link, headers: response.headers, isKnown: false };
  }

  #remember(path: string, answer: { etag: string; value: unknown; link: string | null }): void {
    this.#remembered.delete(path);
    this.#remembered.set(path, answer);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) {
      this.#remembered.delete(oldest);
    }
  }

  async #send(
    auth: Authorize,
    request: GitHubRequest,
    more: Record<string, string>,
  ): Promise<Response> {
    const authorization = await auth();
    const response = await this.#sendWith(authorization, request, more);
    if (response.status !== 401) return response;
    // A token may be revoked early, so a new one is tried once.
    const other = await auth(true);
    if (other === authorization) return response;
    await response.body?.cancel();
    return this.#sendWith(other, request, more);
  }

  /**
   * Repeats a write at a renamed repository's new address; other redirects of writes are not
   * followed.
   */
  async #sendWith(
    authorization: string,
    request: GitHubRequest,
    more: Record<string, string>,
  ): Promise<Response> {
    let response = await this.#sendOnce(authorization, request, more);
    for (let hops = 0; hops < MAX_HOPS && KEEPS_METHOD.has(response.status); hops += 1) {
      const path = response.headers.get('Location');
      if (path === null || request.staysHere === true) break;
      await response.body?.cancel();
      response = await this.#sendOnce(authorization, { ...request, path }, more);
    }
    return response;
  }

  async #sendOnce(
    authorization: string,
    request: GitHubRequest,
    more: Record<string, string>,
  ): Promise<Response> {
    const url = this.#urlOf(request);
    const resource = url === this.#settings.graphqlUrl ? 'graphql' : 'core';
    const credential = credentialOf(this.#settings, authorization);
    mayAsk(credential, { resource, what: nameOf(request), nowMs: this.#deps.clock.nowMs() });
    // A read may be redirected: the caller compares the result with what it requested.
    const isRead = (request.method ?? 'GET') === 'GET';
    const headers: Record<string, string> = {
      Accept: 'application/vnd.github+json',
      'X-GitHub-Api-Version': '2022-11-28',
      'User-Agent': 'switchyard',
      Authorization: authorization,
      ...more,
    };
    if (request.body !== undefined) headers['Content-Type'] = 'application/json';
    const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const init: RequestInit = {
      method: request.method ?? 'GET',
      headers,
      ...(request.staysHere === true || !isRead ? { redirect: 'manual' as const } : {}),
      ...(request.body === undefined ? {} : { body: toJson(request.body) }),
      signal: request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]),
    };
    try {
      const response = await (this.#deps.fetch ?? fetch)(url, init);
      await this.#heed(credential, resource, response);
      return response;
    } catch (error) {
      throw new GitHubError('transport', `${nameOf(request)}: ${requestTrouble(error)}`);
    }
  }

  /** Applies the rate limits of a response to the credential, whatever the request was. */
  async #heed(credential: string, resource: LimitedResource, response: Response): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const spent = spentUntil(response.headers, resource, nowMs);
    if (spent !== null) hold(credential, spent);
    if (response.status !== 403 && response.status !== 429) return;
    // The text of a 403 tells a rate limit from a missing permission; the caller reads it as well.
    const text = await readBody(response.clone(), MAX_ERROR_BYTES).catch(() => '');
    if (isLimited(response, text))
      hold(credential, limitOfRefusal(response.headers, resource, nowMs));
  }

  /** The token is never sent to another host, whatever a page names as the next one. */
  #urlOf(request: GitHubRequest): string {
    const { apiBaseUrl, graphqlUrl } = this.#settings;
    if (request.path.startsWith('/')) return `${apiBaseUrl}${request.path}`;
    if (request.path === graphqlUrl || request.path.startsWith(`${apiBaseUrl}/`)) {
      return request.path;
    }
    throw new GitHubError('pagination', 'a further page lies on another host');
  }

  async #errorOf(request: GitHubRequest, response: Response): Promise<GitHubError> {
    const text = await readBody(response, MAX_ERROR_BYTES).catch(() => '');
    const nowMs = this.#deps.clock.nowMs();
    const limit = isLimited(response, text)
      ? limitOfRefusal(response.headers, 'core', nowMs)
      : null;
    const retryAtMs = limit?.untilMs ?? null;
    return errorOfResponse(nameOf(request), response, { text, retryAtMs });
  }
}

async function jsonOf(request: GitHubRequest, response: Response): Promise<unknown> {
  try {
    const text = await readBody(response, MAX_BODY_BYTES);
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch (error) {
    // The original message would repeat the unreadable text.
    if (error instanceof SyntaxError)
      throw new GitHubError('response', `${nameOf(request)}: the answer is no JSON`);
    const category = error instanceof AnswerTooLong ? 'response' : 'transport';
    throw new GitHubError(category, `${nameOf(request)}: ${requestTrouble(error)}`);
  }
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, request: GitHubRequest): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problem = problemOf(result.error);
  throw new GitHubError('response', `${nameOf(request)}: ${problem}`, { problem });
}
