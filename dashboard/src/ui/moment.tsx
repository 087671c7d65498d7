import { formatDateTime, formatDuration, formatRelative } from '../format/time.ts';
import { useNow } from './now.ts';

/** `4m ago` with the exact time as its title. */
export function Ago({ at }: { at: string }) {
  const nowMs = useNow(10_000);
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={formatDateTime(atMs)}>
      {formatRelative(atMs, nowMs)}
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
