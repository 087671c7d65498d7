import { useSyncExternalStore } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { eventStream } from '../../../api/event-stream.ts';
import { requestLimit } from '../../../api/refused/request-limit.ts';
import { formatClock } from '../../../format/time.ts';
import { Icon } from '../../../ui/marks/icon.tsx';

/** A restart takes less time; a longer outage is worth a line. */
const PATIENCE_MS = 4_000;

/**
 * Reports that the service has been unreachable for a while, with the age of the shown data; or
 * that it limits requests.
 */
export function AwayBanner() {
  const status = useSyncExternalStore(eventStream.onStatus, () => eventStream.status);
  const limitedUntilMs = useSyncExternalStore(requestLimit.onChange, () => requestLimit.untilMs);
  const [sinceMs, setSinceMs] = useState<number | null>(null);
  useEffect(() => {
    setSinceMs(null);
    if (status !== 'reconnecting') return;
    const lostMs = Date.now();
    const timer = setTimeout(() => setSinceMs(lostMs), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [status]);
  if (status === 'limited' || limitedUntilMs !== null) {
    return (
      <p class="banner warning" role="status">
        <Icon name="pause" size={14} />
        <span>
          <strong>Too many requests</strong> came from this browser or its network. Data may be out
          of date; this page goes on by itself
          {limitedUntilMs === null ? ' soon' : ` at ${formatClock(limitedUntilMs)}`}.
        </span>
      </p>
    );
  }
  if (sinceMs === null) return null;
  return (
    <p class="banner warning" role="status">
      <Icon name="offline" size={14} />
      <span>
        <strong>No connection to the service</strong> since {formatClock(sinceMs)}. Data may be out
        of date; it updates when the connection is back.
      </span>
    </p>
  );
}
