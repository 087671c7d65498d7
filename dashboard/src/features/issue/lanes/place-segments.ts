import type { LaneSegment } from './attempt-lane.ts';

/** A segment of a lane, positioned in percent of the longest lane. */
export type PlacedSegment = LaneSegment & { tookMs: number; left: number; width: number };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS_MS = [1, 2, 5, 10, 15, 30]
  .flatMap((count) => [count * SECOND, count * MINUTE])
  .concat([1, 2, 3, 6, 12, 24, 72, 168].map((count) => count * HOUR))
  .toSorted((a, b) => a - b);
const TICKS_MAX = 6;

/**
 * Length of a lane from the time a runner accepted the work; the wait before that is shown as text.
 */
export function laneMs(segments: readonly LaneSegment[], nowMs: number): number {
  const worked = segments.filter(({ kind }) => kind !== 'queued');
  const [first] = worked;
  if (first === undefined) return 0;
  return Math.max(...worked.map(({ toMs }) => toMs ?? nowMs)) - first.fromMs;
}

/** How long the work waited for a runner. */
export function waitedMs(segments: readonly LaneSegment[], nowMs: number): number {
  const waits = segments.filter(({ kind }) => kind === 'queued');
  return waits.reduce((sum, { fromMs, toMs }) => sum + (toMs ?? nowMs) - fromMs, 0);
}

/**
 * The segments except waits for a runner, each with its position and width, on one scale for all
 * lanes.
 */
export function placeSegments(
  segments: readonly LaneSegment[],
  longestMs: number,
  nowMs: number,
): PlacedSegment[] {
  const worked = segments.filter(({ kind }) => kind !== 'queued');
  const startMs = worked[0]?.fromMs ?? 0;
  const part = (ms: number) => (longestMs === 0 ? 0 : (100 * ms) / longestMs);
  return worked.map((segment) => {
    const tookMs = Math.max(0, (segment.toMs ?? nowMs) - segment.fromMs);
    return { ...segment, tookMs, left: part(segment.fromMs - startMs), width: part(tookMs) };
  });
}

/** Round times along the scale, starting at 0. */
export function scaleTicks(longestMs: number): number[] {
  const stepMs = STEPS_MS.find((step) => longestMs / step <= TICKS_MAX) ?? longestMs / TICKS_MAX;
  if (stepMs <= 0) return [0];
  return Array.from({ length: Math.floor(longestMs / stepMs) + 1 }, (_, index) => index * stepMs);
}
