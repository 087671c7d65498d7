import { describe, expect, it } from 'vitest';
import { runHostileSoak } from '../soak/run-hostile-soak.ts';

const SECONDS = 20;

describe('clients that mean no good', { timeout: 400_000 }, () => {
  it('get their refusals, on every path that is open to them', async () => {
    const { hostile, beside } = await runHostileSoak(
      { seconds: SECONDS },
      { say: () => undefined, started: () => undefined },
    );
    expect(beside.healthMs.asked).toBeGreaterThan(0);
    for (const kind of ['long bodies', 'endless bodies', 'single bytes', 'guesses', 'upgrades'])
      expect(hostile[kind]).toMatchObject({ 401: expect.any(Number) as number });
    expect(hostile['slow headers']).toMatchObject({ 408: expect.any(Number) as number });
    const answered = Object.values(hostile).flatMap((seen) => Object.keys(seen));
    expect(answered).not.toContain('500');
  });
});
