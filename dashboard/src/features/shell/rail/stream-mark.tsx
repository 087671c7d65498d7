import { useSyncExternalStore } from 'preact/compat';
import { eventStream, type StreamStatus } from '../../../api/event-stream.ts';

const LABELS: Record<StreamStatus, string> = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  limited: 'Waiting',
};

/** Whether the page receives live updates from the service. */
export function StreamMark() {
  const status = useSyncExternalStore(eventStream.onStatus, () => eventStream.status);
  return (
    <span
      class={`stream stream-${status}`}
      role="status"
      title={status === 'live' ? 'Changes appear as they happen' : 'Data may be out of date'}
    >
      <span class="stream-dot" aria-hidden="true" />
      {LABELS[status]}
    </span>
  );
}
