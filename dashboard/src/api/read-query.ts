import {
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import { answer, answerText, ApiError, until } from './api.ts';

const RETRIES_MAX = 2;
const RETRY_BASE_MS = 1_000;
const RETRY_MAX_MS = 30_000;

/**
 * Whether a failed read is retried: not after a refusal, but when the service is unreachable, fails
 * or limits requests.
 */
export function isReadAgain(failures: number, error: unknown): boolean {
  if (failures >= RETRIES_MAX) return false;
  return !(error instanceof ApiError) || error.status === 429 || !isRefusal(error.status);
}

/** Delay before the retry, milliseconds: the response's own, otherwise a doubling backoff. */
export function readAgainAfterMs(failures: number, error: unknown): number {
  const askedMs = error instanceof ApiError ? error.waitMs : null;
  return askedMs ?? Math.min(RETRY_BASE_MS * 2 ** failures, RETRY_MAX_MS);
}

const isRefusal = (status: number) => status >= 400 && status < 500;

type End = ReturnType<typeof until>;

/** A query for the response of one route; the call is aborted with the query. */
export function readQuery<R>(queryKey: QueryKey, call: (end: End) => Promise<R>) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => answer(call(until(signal))) });
}

/** A query for a route with a plain-text response. */
export function readTextQuery(queryKey: QueryKey, call: (end: End) => Promise<unknown>) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => answerText(call(until(signal))) });
}

/** A query for a list that is read page by page with the service's cursors. */
export function pagedQuery<P extends { nextCursor?: string | null | undefined }>(
  queryKey: QueryKey,
  call: (cursor: { cursor?: string }, end: End) => Promise<P>,
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(pageParam === '' ? {} : { cursor: pageParam }, until(signal)),
    getNextPageParam: (page) => page.nextCursor ?? null,
  });
}

/** A query for a list that is read page by page with offsets; `rowsOf` returns a page's rows. */
export function offsetQuery<P extends { total: number }>(
  queryKey: QueryKey,
  call: (offset: string, end: End) => Promise<P>,
  rowsOf: (page: P) => readonly unknown[],
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ signal, pageParam }) => call(String(pageParam), until(signal)),
    getNextPageParam: (page, pages) => {
      const shown = pages.reduce((sum, each) => sum + rowsOf(each).length, 0);
      return shown < page.total && rowsOf(page).length > 0 ? shown : null;
    },
  });
}

/** Refetches every query whose key begins with one of these areas. */
export async function refresh(client: QueryClient, ...areas: string[]): Promise<void> {
  await Promise.all(areas.map((area) => client.invalidateQueries({ queryKey: [area] })));
}
