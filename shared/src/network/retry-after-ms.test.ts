import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after-ms.ts';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const MAX_MS = 60_000;

describe('a Retry-After header', () => {
  it.each([
    ['7', 7_000],
    [' 0 ', 0],
    ['999999', MAX_MS],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['Fri, 01 Jan 2027 00:00:00 GMT', MAX_MS],
    ['soon', null],
    ['', null],
    [null, null],
  ])('%j means %s ms', (header, expected) => {
    expect(retryAfterMs(header, NOW_MS, MAX_MS)).toBe(expected);
  });
});
