import type { BackgroundTasks, EventSignal } from '../../ports/ports.ts';
import type { WorkerEnv } from './worker-env.ts';

/** A signal that takes longer than this counts as lost. */
const MAX_UNDER_WAY_MS = 5_000;

/** The one hub that streams events to all clients. */
export function eventsHub(env: WorkerEnv) {
  return env.EVENTS_HUB.get(env.EVENTS_HUB.idFromName('hub'));
}

/** Signals the hub that there may be new rows; signals during a signal are merged into one. */
export function createHubSignal(env: WorkerEnv, background: BackgroundTasks): EventSignal {
  let beganAtMs: number | null = null;
  let again = false;

  function notify(): void {
    const nowMs = Date.now();
    if (beganAtMs !== null && nowMs - beganAtMs < MAX_UNDER_WAY_MS) {
      again = true;
      return;
    }
    beganAtMs = nowMs;
    again = false;
    background.run('notice of events', async () => {
      try {
        await eventsHub(env).notify();
      } finally {
        beganAtMs = null;
        if (again) notify();
      }
    });
  }

  return { notify, subscribe: () => () => {} };
}
