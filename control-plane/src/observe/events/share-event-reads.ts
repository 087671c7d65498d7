import type { Database } from '../../db/database.ts';
import type { Clock, EventSignal } from '../../ports/ports.ts';
import { eventsAfter } from './queries.ts';

type Page = Awaited<ReturnType<typeof eventsAfter>>;

/** Age after which a page is read again even without a signal, since a signal may be lost. */
const MAX_AGE_MS = 1_000;
/** Cached pages, one for each position of a subscriber; the size of a page is limited. */
const MAX_PAGES = 16;

/**
 * Reads events for all subscribers of one process: those at the same position share a page until
 * there may be new rows. A read that began before a signal is not shared after it.
 */
export function shareEventReads(
  db: Database,
  { events, clock }: { events: EventSignal; clock: Clock },
): (afterSeq: number) => Promise<Page> {
  const pages = new Map<number, { atMs: number; page: Promise<Page> }>();
  events.subscribe(() => pages.clear());
  return (afterSeq) => {
    const nowMs = clock.nowMs();
    const known = pages.get(afterSeq);
    if (known !== undefined && Math.abs(nowMs - known.atMs) < MAX_AGE_MS) return known.page;
    if (pages.size >= MAX_PAGES) pages.clear();
    const page = eventsAfter(db, afterSeq);
    const entry = { atMs: nowMs, page };
    pages.set(afterSeq, entry);
    // The next reader retries; those that wait for this read get its error.
    page.catch(() => {
      if (pages.get(afterSeq) === entry) pages.delete(afterSeq);
    });
    return page;
  };
}
