import { nextRunAtMs } from '../next-run-at-ms.ts';

/** Zones with rules that are not everybody's, and a year in which their clocks changed. */
export const YEARS = [
  ['America/New_York', 2026],
  ['Europe/London', 2024],
  // By 30 minutes.
  ['Australia/Lord_Howe', 2023],
  // At midnight.
  ['America/Sao_Paulo', 2017],
  // Back for Ramadan.
  ['Africa/Casablanca', 2023],
  // Forward by a quarter of an hour, for ever.
  ['Asia/Kathmandu', 1986],
  // Without 30 December.
  ['Pacific/Apia', 2011],
  ['UTC', 2024],
] as const;

/** Every time a schedule is due from `fromMs` on, before `toMs`. */
export function runsBetween(
  schedule: string,
  timeZone: string,
  fromMs: number,
  toMs: number,
): number[] {
  const found: number[] = [];
  for (let atMs: number | null = fromMs - 1; ;) {
    atMs = nextRunAtMs({ schedule, timeZone }, atMs);
    if (atMs === null || atMs >= toMs) return found;
    found.push(atMs);
  }
}
