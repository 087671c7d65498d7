import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { bearerOf, headerValue } from './header-value.ts';

type Listing = { models: readonly string[]; isAuthorized: (key: string) => boolean };
type Listed = { status: number; body: unknown };

/** Items of one page of a model list: the defaults, and the maximum. */
const PAGE = { messages: 20, gemini: 50, max: 1_000 };
const CREATED_AT = '2026-01-01T00:00:00Z';

/** A model list in the publisher's format, or the publisher's refusal. */
export function listModels({ headers, url = '/' }: IncomingMessage, listing: Listing): Listed {
  const { pathname, searchParams: query } = new URL(url, 'http://127.0.0.1');
  if (pathname.startsWith('/v1beta/')) return listGemini(headers, query, listing);
  const isMessages = ['anthropic-version', 'x-api-key'].some((name) => headers[name] !== undefined);
  return isMessages ? listMessages(headers, query, listing) : listOpenAi(headers, listing);
}

function listOpenAi(headers: IncomingHttpHeaders, { models, isAuthorized }: Listing): Listed {
  const key = bearerOf(headers);
  if (!isAuthorized(key)) {
    const message =
      key === ''
        ? "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
        : 'Incorrect API key provided';
    const code = key === '' ? null : 'invalid_api_key';
    const error = { message, type: 'invalid_request_error', param: null, code };
    return { status: 401, body: { error } };
  }
  const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'scripted' }));
  return { status: 200, body: { object: 'list', data } };
}

function listMessages(
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
  { models, isAuthorized }: Listing,
): Listed {
  const refuse = (status: number, type: string, message: string): Listed => ({
    status,
    body: { type: 'error', error: { type, message }, request_id: 'req_scripted' },
  });
  const key = headerValue(headers, 'x-api-key') ?? bearerOf(headers);
  if (!isAuthorized(key)) {
    const message = key === '' ? 'x-api-key header is required' : 'invalid x-api-key';
    return refuse(401, 'authentication_error', message);
  }
  if (headerValue(headers, 'anthropic-version') === null) {
    return refuse(400, 'invalid_request_error', 'anthropic-version: header is required');
  }
  const limit = Number(query.get('limit') ?? PAGE.messages);
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE.max) {
    const message = `limit: must be between 1 and ${PAGE.max}`;
    return refuse(400, 'invalid_request_error', message);
  }
  const after = query.get('after_id');
  const start = after === null ? 0 : models.indexOf(after) + 1;
  const ids = models.slice(start, start + limit);
  const data = ids.map((id) => ({ type: 'model', id, display_name: id, created_at: CREATED_AT }));
  const ends = { first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
  return { status: 200, body: { data, ...ends, has_more: start + limit < models.length } };
}

function listGemini(
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
  { models, isAuthorized }: Listing,
): Listed {
  const refuse = (code: number, status: string, message: string): Listed => ({
    status: code,
    body: { error: { code, message, status } },
  });
  const key = headerValue(headers, 'x-goog-api-key') ?? query.get('key');
  if (!isAuthorized(key ?? '')) {
    return key === null
      ? refuse(
          403,
          'PERMISSION_DENIED',
          "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
        )
      : refuse(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.');
  }
  const start = Number(query.get('pageToken') ?? 0);
  const size = Math.min(Number(query.get('pageSize') ?? PAGE.gemini), PAGE.max);
  const all = [
    ...models.map((id) => geminiModel(id, ['generateContent', 'countTokens'])),
    // Models that only embed are in the same list.
    geminiModel('scripted-embedding', ['embedContent']),
  ];
  const isMore = start + size < all.length;
  const page = { models: all.slice(start, start + size) };
  return { status: 200, body: isMore ? { ...page, nextPageToken: String(start + size) } : page };
}

function geminiModel(id: string, supportedGenerationMethods: string[]) {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    supportedGenerationMethods,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
  };
}
