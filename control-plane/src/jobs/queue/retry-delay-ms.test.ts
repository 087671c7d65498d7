import { describe, expect, it } from 'vitest';
import { retryDelayMs } from './retry-delay-ms.ts';

describe('the delay before the next try', () => {
  it('is tried again after ever longer, at most five minutes', () => {
    expect([1, 2, 3, 8, 1_000].map(retryDelayMs)).toEqual([2_000, 4_000, 8_000, 256_000, 300_000]);
  });
});
