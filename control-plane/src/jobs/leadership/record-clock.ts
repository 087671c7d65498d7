import type { Deps } from '../../deps.ts';

/** A clock that is corrected gradually deviates less than this between two checks. */
const JUMP_MS = 1_000;

/** How far the clock was changed since the last `recordClock`, milliseconds; 0 when it was not. */
export function clockJumpMs({ clock, service }: Pick<Deps, 'clock' | 'service'>): number {
  const jumpMs = clock.nowMs() - clock.monotonicMs() - service.clockOffsetMs;
  return Math.abs(jumpMs) < JUMP_MS ? 0 : jumpMs;
}

/** Records the clock's offset from the monotonic clock. */
export function recordClock({ clock, service }: Pick<Deps, 'clock' | 'service'>): void {
  service.clockOffsetMs = clock.nowMs() - clock.monotonicMs();
}
