import type { StreamEvent } from '@switchyard/shared/api/attempt';
import type { StoredEvent } from '../db/schema/events.ts';

/** A chunk's events with the numbers they have in the stream. */
export function streamEvents(chunk: { first_seq: number; items: StoredEvent[] }): StreamEvent[] {
  return chunk.items.map((item, index) => ({
    seq: chunk.first_seq + index,
    type: item.type,
    at: new Date(item.atMs).toISOString(),
    data: item.data,
  }));
}

export type StreamFilter = { issue?: string | undefined; types?: ReadonlySet<string> | undefined };

/** Whether a listener with this filter wants the event. */
export function wanted(event: StreamEvent, filter: StreamFilter): boolean {
  if (filter.types !== undefined && !filter.types.has(event.type)) return false;
  return filter.issue === undefined || event.data['identifier'] === filter.issue;
}
