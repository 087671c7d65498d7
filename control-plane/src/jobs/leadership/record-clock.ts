import type { Deps } from '../../deps.ts';

/** A clock that is kept right by slewing stays below this between two looks. */
const JUMP_MS = 1_000;

/** By how much the clock was set since it was noted last, milliseconds; 0 when it was not. */
export function clockJumpMs({ clock, service }: Pick<Deps, 'clock' | 'service'>): number {
  const jumpMs = clock.nowMs() - clock.monotonicMs() - service.clockOffsetMs;
  return Math.abs(jumpMs) < JUMP_MS ? 0 : jumpMs;
}

/** Notes how the clock stands against the monotonic one. */
export function recordClock({ clock, service }: Pick<Deps, 'clock' | 'service'>): void {
  service.clockOffsetMs = clock.nowMs() - clock.monotonicMs();
}
