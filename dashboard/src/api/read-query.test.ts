import { describe, expect, it } from 'vitest';
import { ApiError } from './api.ts';
import { isReadAgain, readAgainAfterMs } from './read-query.ts';

describe('a read that failed', () => {
  const limited = new ApiError(429, 'too many requests', { waitMs: 34_000 });

  it('is made again where nobody said no, and where too many requests came', () => {
    const isAgain = (error: unknown) => isReadAgain(0, error);
    expect([limited, new ApiError(0, 'away'), new ApiError(502, 'proxy')].map(isAgain)).toEqual([
      true,
      true,
      true,
    ]);
    expect([401, 404, 413].map((status) => isAgain(new ApiError(status, 'no')))).toEqual([
      false,
      false,
      false,
    ]);
    expect(isReadAgain(2, limited)).toBe(false);
  });

  it('waits as the answer asks, else longer each time', () => {
    expect(readAgainAfterMs(0, limited)).toBe(34_000);
    const away = new ApiError(0, 'away');
    expect([0, 1, 9].map((failures) => readAgainAfterMs(failures, away))).toEqual([
      1_000, 2_000, 30_000,
    ]);
  });
});
