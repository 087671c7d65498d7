import { describe, expect, it } from 'vitest';
import { runHostileSoak } from '../soak/run-hostile-soak.ts';

/** A machine that is slow or busy answers within the longer one. */
const SECONDS = [20, 120];
/** Kinds of client, and the status by which each is refused. */
const REFUSALS = {
  'long bodies': '401',
  'endless bodies': '401',
  'single bytes': '401',
  guesses: '401',
  upgrades: '401',
  'slow headers': '408',
};

const soak = (seconds: number) =>
  runHostileSoak({ seconds }, { say: () => undefined, started: () => undefined });

describe('clients that mean no good', { timeout: 900_000 }, () => {
  it('get their refusals, on every path that is open to them', async () => {
    let missing: string[] = [];
    for (const seconds of SECONDS) {
      // oxlint-disable-next-line no-await-in-loop -- only where the one before was too short
      const { hostile, beside } = await soak(seconds);
      expect(beside.healthMs.asked).toBeGreaterThan(0);
      const answered = Object.values(hostile).flatMap((seen) => Object.keys(seen));
      expect(answered).not.toContain('500');
      missing = Object.entries(REFUSALS).flatMap(([kind, status]) =>
        hostile[kind]?.[status] === undefined ? [kind] : [],
      );
      if (missing.length === 0) break;
    }
    expect(missing).toEqual([]);
  });
});
