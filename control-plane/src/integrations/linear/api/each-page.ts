import { TrackerError } from '../../../ports/tracker/tracker.ts';
import type { RawPage } from './rows.ts';

/** 10,000 issues; more mean that the filter is ineffective. */
const MAX_PAGES = 200;

type Page = Pick<RawPage, 'pageInfo'>;

/**
 * Reads page by page; `read` gets no cursor for the first page. Throws a `TrackerError` if the
 * pages do not end.
 */
export async function* eachPage<P extends Page>(read: (after: string | null) => Promise<P>) {
  const first = await read(null);
  yield first;
  yield* furtherPages(first, read);
}

/**
 * Reads the pages after the first. A missing or repeated cursor would loop or lose rows, so both
 * are errors.
 */
export async function* furtherPages<P extends Page>(
  first: Page,
  read: (after: string) => Promise<P>,
): AsyncGenerator<P> {
  const seen = new Set<string>();
  let { pageInfo } = first;
  while (pageInfo.hasNextPage) {
    const cursor = pageInfo.endCursor;
    if (!cursor) throw new TrackerError('pagination', 'Linear has a next page but no cursor');
    if (seen.has(cursor)) throw new TrackerError('pagination', "Linear's pages go in a circle");
    if (seen.size >= MAX_PAGES) {
      throw new TrackerError('pagination', `Linear gave more than ${MAX_PAGES} pages`);
    }
    seen.add(cursor);
    const page = await read(cursor);
    yield page;
    pageInfo = page.pageInfo;
  }
}
