import { describe, expect, it } from 'vitest';
import { faultSchedule } from './fault-schedule.ts';

const options = { seed: 7, faults: 200, runners: 2, leaseTtlMs: 18_000 };

describe('faultSchedule', () => {
  it('is the same for the same seed and another one for another', () => {
    expect(faultSchedule(options)).toEqual(faultSchedule(options));
    expect(faultSchedule({ ...options, seed: 8 })).not.toEqual(faultSchedule(options));
  });

  it('has every kind, and times within and beyond a lease', () => {
    const faults = faultSchedule(options);
    const kinds = new Set(faults.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(['cut', 'hold', 'kill_plane', 'kill_runner']);
    const downMs = faults.flatMap((fault) => (fault.kind === 'kill_runner' ? [fault.downMs] : []));
    expect(downMs).toContain(0);
    expect(downMs.some((ms) => ms > 0 && ms < options.leaseTtlMs)).toBe(true);
    expect(downMs.some((ms) => ms > options.leaseTtlMs)).toBe(true);
  });
});
