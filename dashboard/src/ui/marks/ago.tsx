import { serviceNowMs } from '../../api/service-clock.ts';
import {
  formatDateTime,
  formatDue,
  formatDuration,
  formatPast,
  formatRelative,
  NO_TIME,
} from '../../format/time.ts';
import { useNow } from './use-now.ts';

/** Within this distance the text is updated every second, otherwise every 10 s. */
const NEAR_MS = 120_000;

type MomentProps = { at: string; format?: (atMs: number, nowMs: number) => string };

/**
 * A past or future time relative to now, `4m ago` or `in 30s`, with the exact time as its title.
 */
function Moment({ at, format = formatRelative }: MomentProps) {
  const atMs = Date.parse(at);
  const nowMs = useNow(Math.abs(atMs - serviceNowMs()) < NEAR_MS ? 1_000 : 10_000);
  if (Number.isNaN(atMs)) return <>{NO_TIME}</>;
  return (
    <time dateTime={at} title={formatDateTime(atMs)}>
      {format(atMs, nowMs)}
    </time>
  );
}

/** A past time: `4m ago`. One far in the future is shown as such. */
export function Ago({ at }: { at: string }) {
  return <Moment at={at} format={formatPast} />;
}

/** A due time: `in 4m`, and `now` once it has passed. */
export function Due({ at }: { at: string }) {
  return <Moment at={at} format={formatDue} />;
}

/** A duration, which ticks while it has no end. */
export function Elapsed({ from, to }: { from: number; to: number | null }) {
  const nowMs = useNow(1_000, { active: to === null });
  return <span class="elapsed">{formatDuration((to ?? nowMs) - from)}</span>;
}

const TIMESTAMP = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the service with its timestamps converted for the reader. */
export function TextWithTimes({ text }: { text: string }) {
  return (
    <>
      {text.split(TIMESTAMP).map((part, position) => {
        if (position % 2 === 0) return part;
        return <Moment key={position} at={part} />;
      })}
    </>
  );
}
