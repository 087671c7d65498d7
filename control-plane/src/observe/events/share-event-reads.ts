import type { Database } from '../../db/database.ts';
import type { Clock, EventSignal } from '../../ports/ports.ts';
import { eventsAfter } from './queries.ts';

type Page = Awaited<ReturnType<typeof eventsAfter>>;

/** Without a notice a page is read again after this: a notice may get lost. */
const MAX_AGE_MS = 1_000;
/** Places at which listeners stand; each page is a limited number of bytes. */
const MAX_PAGES = 16;

/**
 * Reads events for all listeners of one process: those that stand at the same place share a page
 * until there may be new rows. A read that began before a notice is not shared after it.
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
    // Whoever comes next tries again; those who wait hear of the failure.
    page.catch(() => {
      if (pages.get(afterSeq) === entry) pages.delete(afterSeq);
    });
    return page;
  };
}
