import { isWithin } from '../../is-within.ts';

const WINDOW_MS = 60_000;
/** Clients remembered at once; beyond this the oldest window is dropped. */
const MAX_CLIENTS = 10_000;

export type Window = { startMs: number; count: number };

/** Counts actions of a client in a minute that begins with its first action. */
export function countPerClient(): (client: string, nowMs: number) => Window {
  const windows = new Map<string, Window>();
  return (client, nowMs) => {
    const present = windows.get(client);
    if (present !== undefined && isWithin(nowMs, present.startMs, WINDOW_MS)) {
      present.count += 1;
      return present;
    }
    windows.delete(client);
    // A Map keeps the order of insertion, which is the order in which windows began.
    const oldest = windows.keys().next();
    if (windows.size >= MAX_CLIENTS && !oldest.done) windows.delete(oldest.value);
    const made = { startMs: nowMs, count: 1 };
    windows.set(client, made);
    return made;
  };
}

/** Whole seconds until a client's window is over, at least 1. */
export function secondsLeft({ startMs }: Window, nowMs: number): number {
  return Math.max(1, Math.ceil((startMs + WINDOW_MS - nowMs) / 1_000));
}
