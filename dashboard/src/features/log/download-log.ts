import { fetchAttemptEvents } from '../../api/queries.ts';

/** Nobody reads more than this by hand; a longer attempt is cut there. */
const EVENTS_MAX = 200_000;

/** Saves all events of an attempt as they are stored, one JSON text per line. */
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
