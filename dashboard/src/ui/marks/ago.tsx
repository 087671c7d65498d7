import { formatDateTime, formatDuration, formatRelative } from '../../format/time.ts';
import { useNow } from './now.ts';

/** `4m ago` with the exact time as its title; what has happened is never told as still to come. */
export function Ago({ at }: { at: string }) {
  const nowMs = useNow(10_000);
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={formatDateTime(atMs)}>
      {formatRelative(Math.min(atMs, nowMs), nowMs)}
    </time>
  );
}

/** When something is due: `in 4m`, and `now` once the time has come. */
export function Due({ at }: { at: string }) {
  const nowMs = useNow(1_000);
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={formatDateTime(atMs)}>
      {atMs <= nowMs ? 'now' : formatRelative(atMs, nowMs)}
    </time>
  );
}

/** How long something took, or has been taking: ticks while it has no end. */
export function Elapsed({ from, to }: { from: number; to: number | null }) {
  const nowMs = useNow(1_000, to === null);
  return <span class="elapsed">{formatDuration((to ?? nowMs) - from)}</span>;
}

const TIMESTAMP = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the service with its timestamps in the reader's own terms. */
export function TextWithTimes({ text }: { text: string }) {
  return (
    <>
      {text.split(TIMESTAMP).map((part, position) => {
        if (position % 2 === 0) return part;
        return <Relative key={position} at={part} />;
      })}
    </>
  );
}

/** Past or to come, whichever it is. */
function Relative({ at }: { at: string }) {
  const nowMs = useNow(5_000);
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={formatDateTime(atMs)}>
      {formatRelative(atMs, nowMs)}
    </time>
  );
}
