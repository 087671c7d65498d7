import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { StoredEvent } from '../../db/schema/operation/events.ts';

/** Latest time that a date can represent; a runner's clock may report any. */
const MAX_DATE_MS = 8.64e15;

function isoTime(atMs: number): string {
  return new Date(Math.min(Math.max(atMs, -MAX_DATE_MS), MAX_DATE_MS)).toISOString();
}

/** A chunk's events with their numbers in the stream. */
export function streamEvents(chunk: { first_seq: number; items: StoredEvent[] }): StreamEvent[] {
  return chunk.items.map((item, index) => ({
    seq: chunk.first_seq + index,
    type: item.type,
    at: isoTime(item.atMs),
    data: item.data,
  }));
}

export type StreamFilter = { issue?: string | undefined; types?: ReadonlySet<string> | undefined };

/** Whether a stream with this filter includes the event. */
export function wanted(event: StreamEvent, filter: StreamFilter): boolean {
  if (filter.types !== undefined && !filter.types.has(event.type)) return false;
  return filter.issue === undefined || event.data['identifier'] === filter.issue;
}
