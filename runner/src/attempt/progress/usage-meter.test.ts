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

  it('by model, over a death of the proxy and a restart of the runner', () => {
    const counted = (sinceMs: number, byModel: Record<string, TokenUsage>) => {
      const tokens = Object.values(byModel).reduce((sum, { total }) => sum + total, 0);
      return { sinceMs, tokens: used(tokens), byModel };
    };
    const first = new UsageMeter(undefined);
    first.noteModel(counted(1, { large: used(100) }));
    expect(first.noteModel(counted(1, { large: used(150), small: used(7) }))?.byModel).toEqual([
      { model: 'large', tokens: used(150) },
      { model: 'small', tokens: used(7) },
    ]);
    const kept = first.noteModel(counted(2, { small: used(3) })) ?? undefined;
    const second = new UsageMeter(JSON.parse(JSON.stringify(kept)) as typeof kept);
    const told = second.noteModel(counted(2, { small: used(5), constructor: used(1) }));
    expect(told?.own).toEqual(used(163));
    expect(told?.byModel).toEqual([
      { model: 'large', tokens: used(150) },
      { model: 'small', tokens: used(12) },
      { model: 'constructor', tokens: used(1) },
    ]);
  });

  it('by as many models as may be told, and together beyond', () => {
    const meter = new UsageMeter(undefined);
    const names = Array.from({ length: 100 }, (_, at) => `model-${at}`);
    const byModel = Object.fromEntries(names.map((name) => [name, used(1)]));
    const told = meter.noteModel({ sinceMs: 1, tokens: used(100), byModel });
    expect(told?.byModel).toHaveLength(33);
    expect(told?.byModel?.at(-1)).toEqual({ model: 'other', tokens: used(68) });
  });
});
