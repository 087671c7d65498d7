import { describe, expect, it } from 'vitest';
import type { LaneSegment } from './attempt-lane.ts';
import { laneMs, placeSegments, scaleTicks, waitedMs } from './place-segments.ts';

const segment = (kind: LaneSegment['kind'], from: number, to: number | null): LaneSegment => ({
  kind,
  number: null,
  failed: false,
  fromMs: from * 1_000,
  toMs: to === null ? null : to * 1_000,
});
const lane = [
  segment('queued', 0, 3_600),
  segment('workspace', 3_600, 3_601),
  segment('turn', 3_601, 3_640),
  segment('checks', 3_680, 3_700),
];

describe('the scale of the timeline', () => {
  it('is as wide as it took, with the gaps between', () => {
    expect(laneMs(lane, 0)).toBe(100_000);
    expect(placeSegments(lane, 200_000, 0).map(({ left, width }) => [left, width])).toEqual([
      [0, 0.5],
      [0.5, 19.5],
      [40, 10],
    ]);
  });

  it('leaves the wait out, and tells how long it was', () => {
    expect(waitedMs(lane, 0)).toBe(3_600_000);
    expect(laneMs([segment('queued', 0, null)], 5_000)).toBe(0);
  });

  it('grows with what goes on', () => {
    expect(laneMs([segment('turn', 10, null)], 40_000)).toBe(30_000);
  });

  it.each([
    [100, [0, 30, 60, 90]],
    [7, [0, 2, 4, 6]],
    [3 * 3_600, [0, 1_800, 3_600, 5_400, 7_200, 9_000, 10_800]],
    [0, [0]],
  ])('has round times for %d s', (seconds, ticks) => {
    expect(scaleTicks(seconds * 1_000)).toEqual(ticks.map((each) => each * 1_000));
  });
});
