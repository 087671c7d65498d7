import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RequestLimit } from './request-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = (status: number, retryAfter?: string) =>
  new Response(null, {
    status,
    headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  });

it('holds as long as the longest refusal asks, and ends by itself', () => {
  const limit = new RequestLimit();
  let changes = 0;
  limit.onChange(() => (changes += 1));
  expect(limit.learn(answer(503, '9'))).toBe(9_000);
  expect(limit.learn(answer(500))).toBeNull();
  // Neither said that too many requests came.
  expect([limit.untilMs, changes]).toEqual([null, 0]);
  expect(limit.learn(answer(429, '30'))).toBe(30_000);
  expect(limit.learn(answer(429, '5'))).toBe(5_000);
  vi.advanceTimersByTime(29_999);
  expect(limit.untilMs).toBe(Date.now() + 1);
  vi.advanceTimersByTime(1);
  expect(limit.untilMs).toBeNull();
});

it('waits a little where nothing is asked, and never for hours', () => {
  const limit = new RequestLimit();
  expect(limit.learn(answer(429))).toBe(5_000);
  expect(limit.learn(answer(429, '7200'))).toBe(65_000);
});

it('lets nobody wait for work that has to wait for it', async () => {
  const limit = new RequestLimit();
  await limit.unlessReached(Promise.resolve());
  await expect(limit.unlessReached(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const endless = new Promise<never>(() => {});
  const before = limit.unlessReached(endless);
  limit.learn(answer(429, '30'));
  await before;
  await limit.unlessReached(endless);
});
