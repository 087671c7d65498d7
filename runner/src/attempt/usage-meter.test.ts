import type { TokenUsage } from '@switchyard/shared/api/work/attempt';
import { describe, expect, it } from 'vitest';
import { UsageMeter } from './usage-meter.ts';

function used(input: number, output = 0): TokenUsage {
  return { input, cachedInput: 0, output, reasoning: 0, total: input + output };
}

describe("an attempt's tokens are its own", () => {
  it('on a new thread: all of them', () => {
    const meter = new UsageMeter(undefined);
    meter.threadStarted(false);
    meter.turnBegan();
    expect(meter.note(used(100, 10), used(100, 10)).own).toEqual(used(100, 10));
    expect(meter.note(used(250, 30), used(150, 20)).own).toEqual(used(250, 30));
  });

  it('on a thread of earlier attempts: from where this one began', () => {
    const meter = new UsageMeter(undefined);
    meter.threadStarted(true);
    meter.turnBegan();
    expect(meter.note(used(5_100, 60), used(100, 10)).own).toEqual(used(100, 10));
    expect(meter.note(used(5_300, 80), used(200, 20)).own).toEqual(used(300, 30));
  });

  it('also where the thread first tells where it stands, or does not tell its last answer', () => {
    const meter = new UsageMeter(undefined);
    meter.threadStarted(true);
    expect(meter.note(used(5_000, 50), used(900, 9)).own.total).toBe(0);
    meter.turnBegan();
    expect(meter.note(used(5_100, 60), undefined).own).toEqual(used(100, 10));
  });

  it('also where the thread counts from zero again after its context overflowed', () => {
    const meter = new UsageMeter(undefined);
    meter.threadStarted(false);
    meter.turnBegan();
    meter.note(used(90_000, 500), used(90_000, 500));
    expect(meter.note(used(300, 20), used(300, 20)).own).toEqual(used(90_300, 520));
  });

  it('also after the runner was started anew in between', () => {
    const first = new UsageMeter(undefined);
    first.threadStarted(true);
    first.turnBegan();
    const kept = first.note(used(5_100), used(100));
    const second = new UsageMeter(kept);
    second.threadStarted(true);
    expect(second.note(used(5_400), used(300)).own).toEqual(used(400));
  });
});
