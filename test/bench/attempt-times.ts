import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';

/** Where the time of one attempt goes from its lease to the engine's first answer; milliseconds. */
export type AttemptTimes = {
  /** Mirror and clone. */
  workspaceMs: number;
  /** Hooks before the engine. */
  hookMs: number;
  /** Grant on its way, journal, way to the model. */
  prepareMs: number;
  /** Engine home, container created and started. */
  containerMs: number;
  /** From the started container to `initialize` answered. */
  initializeMs: number;
  /** From the lease to `initialize` answered, without workspace and hooks. */
  startMs: number;
  /** The same with them. */
  wholeMs: number;
};

/** Reads the times off an attempt's stored events. Throws when one that is needed is not there. */
export function attemptTimes(grantedAtMs: number, events: readonly StreamEvent[]): AttemptTimes {
  const workspace = find(events, 'workspace', () => true);
  const starting = find(events, 'phase', (payload) => payload['phase'] === 'starting');
  const container = find(events, 'container', (payload) => payload['state'] === 'started');
  const answered = find(events, 'log', (payload) =>
    String(payload['text']).startsWith('the agent engine answers'),
  );
  const workspaceMs = AttemptEventPayload.workspace.parse(workspace.payload).durationMs;
  const containerMs = AttemptEventPayload.container.parse(container.payload).durationMs ?? 0;
  const hookMs = starting.atMs - workspace.atMs;
  const initializeMs = answered.atMs - container.atMs;
  const wholeMs = answered.atMs - grantedAtMs;
  const startMs = wholeMs - workspaceMs - hookMs;
  const prepareMs = startMs - containerMs - initializeMs;
  return { workspaceMs, hookMs, prepareMs, containerMs, initializeMs, startMs, wholeMs };
}

type Found = { atMs: number; payload: Record<string, unknown> };

function find(
  events: readonly StreamEvent[],
  kind: string,
  fits: (payload: Record<string, unknown>) => boolean,
): Found {
  for (const { at, data } of events) {
    const payload = data['payload'];
    if (data['kind'] !== kind || typeof payload !== 'object' || payload === null) continue;
    const record = Object.fromEntries(Object.entries(payload));
    if (fits(record)) return { atMs: Date.parse(at), payload: record };
  }
  throw new Error(`the attempt has no ${kind} event to measure by`);
}
