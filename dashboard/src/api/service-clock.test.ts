import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { learnServiceClock, serviceNowMs } from './service-clock.ts';

const START_MS = Date.parse('2026-11-28T10:00:00.400Z');
const HOUR_MS = 3_600_000;

/** An answer whose head was written when the service's clock said this. */
const answerOf = (atMs: number) => ({
  headers: new Headers({ Date: new Date(atMs).toUTCString() }),
});

beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
afterEach(() => {
  learnServiceClock(answerOf(Date.now()), Date.now());
  vi.useRealTimers();
});

describe('the clock of the service', () => {
  it('is the browser’s as long as nothing tells otherwise', () => {
    learnServiceClock(answerOf(START_MS), START_MS);
    learnServiceClock({ headers: new Headers() }, START_MS);
    learnServiceClock({ headers: new Headers({ Date: 'yesterday' }) }, START_MS);
    expect(serviceNowMs()).toBe(START_MS);
  });

  it('is not moved by an answer that was long on its way', () => {
    const answer = answerOf(START_MS);
    vi.setSystemTime(START_MS + 9_000);
    learnServiceClock(answer, START_MS);
    expect(serviceNowMs()).toBe(START_MS + 9_000);
  });

  it.each([HOUR_MS, -HOUR_MS])('follows a service that is %d ms away, within a second', (byMs) => {
    learnServiceClock(answerOf(START_MS + byMs), START_MS);
    expect(Math.abs(serviceNowMs() - START_MS - byMs)).toBeLessThanOrEqual(1_000);
    vi.setSystemTime(START_MS + 60_000);
    expect(Math.abs(serviceNowMs() - START_MS - byMs - 60_000)).toBeLessThanOrEqual(1_000);
  });

  it('follows a browser’s clock that is set while the page is open', () => {
    vi.setSystemTime(START_MS + HOUR_MS);
    learnServiceClock(answerOf(START_MS), START_MS + HOUR_MS);
    expect(Math.abs(serviceNowMs() - START_MS)).toBeLessThanOrEqual(1_000);
    // Set between a question and its answer, it says nothing.
    vi.setSystemTime(START_MS);
    learnServiceClock(answerOf(START_MS), START_MS + HOUR_MS);
    expect(serviceNowMs()).toBeLessThan(START_MS);
  });
});
