import { describe, expect, it } from 'vitest';
import { runHostileSoak } from '../soak/run-hostile-soak.ts';

const SECONDS = 20;
/** Well below what one kind of client took before it was bounded; the full run allows 100. */
const MAX_EXTRA_MIB = 150;

describe('clients that mean no good', { timeout: 400_000 }, () => {
  it('get their refusals and cost little, on every path that is open to them', async () => {
    const { extraPeakMib, hostile, beside } = await runHostileSoak(
      { seconds: SECONDS },
      { say: () => undefined, started: () => undefined },
    );
    expect(extraPeakMib).toBeLessThan(MAX_EXTRA_MIB);
    expect(beside.healthMs.asked).toBeGreaterThan(0);
    for (const kind of ['long bodies', 'endless bodies', 'single bytes', 'guesses', 'upgrades'])
      expect(hostile[kind]).toMatchObject({ 401: expect.any(Number) as number });
    expect(hostile['slow headers']).toMatchObject({ 408: expect.any(Number) as number });
    const answered = Object.values(hostile).flatMap((seen) => Object.keys(seen));
    expect(answered).not.toContain('500');
  });
});
