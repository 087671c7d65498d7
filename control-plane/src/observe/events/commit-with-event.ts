import { eq } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { counters, type StoredEvent } from '../../db/schema/operation/events.ts';
import type { EventSignal } from '../../ports.ts';
import { appendEvents } from './append.ts';

/** Commits the statements together with the event of what they lead to, and tells the listeners. */
export async function commitWithEvent(
  deps: { db: Database; events: EventSignal },
  event: StoredEvent,
  statements: [Statement, ...Statement[]],
): Promise<void> {
  const [first, ...rest] = statements;
  const results = await deps.db.batch([
    first,
    ...rest,
    ...appendEvents(deps.db, event.atMs, [event]),
    deps.db.select({ seq: counters.value }).from(counters).where(eq(counters.name, 'event_seq')),
  ]);
  const counted = results.at(-1) as { seq: number }[] | undefined;
  const lastSeq = counted?.[0]?.seq;
  if (lastSeq !== undefined) deps.events.notify(lastSeq);
}
