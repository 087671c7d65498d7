import type { Alarm, Clock } from '../../ports/ports.ts';

/** setTimeout cannot wait longer than 2^31-1 ms; an early wake is harmless. */
const MAX_DELAY_MS = 2_000_000_000;

/** The one alarm of this process. */
export function createAlarm(clock: Clock, ring: () => void): Alarm & { clear(): void } {
  let timer: NodeJS.Timeout | null = null;
  const clear = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  return {
    set(atMs) {
      clear();
      const delayMs = Math.min(Math.max(0, atMs - clock.nowMs()), MAX_DELAY_MS);
      timer = setTimeout(ring, delayMs);
    },
    clear,
  };
}
