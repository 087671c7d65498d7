import { fetchAttemptEvents } from '../../api/queries.ts';

/** Maximum number of events in a download; the rest of a longer attempt is left out. */
const EVENTS_MAX = 200_000;

/** Downloads an attempt's events as stored, one JSON document per line. */
export async function downloadLog(attemptId: string, fileName: string): Promise<void> {
  const lines: string[] = [];
  const { signal } = new AbortController();
  for (let after = 0; lines.length < EVENTS_MAX;) {
    const { events } = await fetchAttemptEvents(attemptId, after, signal);
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.seq;
    lines.push(...events.map((event) => JSON.stringify(event)));
  }
  const url = URL.createObjectURL(
    new Blob([lines.join('\n'), '\n'], { type: 'application/x-ndjson' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
