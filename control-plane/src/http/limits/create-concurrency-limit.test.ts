import { describe, expect, it } from 'vitest';
import { createConcurrencyLimit } from './create-concurrency-limit.ts';

describe('turns', () => {
  it('are taken by so many at once, in order, also after a failure', async () => {
    const inTurn = createConcurrencyLimit(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = [0, 1, 2, 3].map((name) =>
      inTurn(async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (name === 0) throw new Error('failed');
        return name;
      }),
    );
    const settled = Promise.allSettled(all);
    for (let name = 0; name < 4; name += 1) {
      await expect.poll(() => begun.length).toBe(Math.min(4, name + 2));
      ends[name]?.();
    }
    expect((await settled).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(begun).toEqual([0, 1, 2, 3]);
  });
});
