import { expect, it } from 'vitest';
import { FakeClock } from './connection/testing/fake-clock.ts';
import { watchParent } from './watch-parent.ts';

it('notices within a second that the parent is gone, and looks no more once stopped', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let parent = 77;
  const first = watchParent(clock, stop.signal, () => parent);
  await clock.advance(10_000);
  expect(first.aborted).toBe(false);
  parent = 1;
  await clock.advance(1_000);
  expect(first.aborted).toBe(true);
  expect(watchParent(clock, stop.signal, () => parent, 77).aborted).toBe(true);
  const second = watchParent(clock, stop.signal, () => parent);
  stop.abort();
  parent = 2;
  await clock.advance(5_000);
  expect(second.aborted).toBe(false);
});
