import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runAllOnLeave, runNow, runUndoable, supersede, undo } from './run-undoable.ts';

const LONG_MS = 60_000;

let done: string[] = [];
const deed = (name: string, ...about: string[]) =>
  runUndoable({
    about,
    text: (those) => `${name} ${those.join()}`,
    run: async (those) => void done.push(`${name} ${those.join()}`),
    leave: async (one) => void done.push(`${name} ${one}, left`),
  });

beforeEach(() => {
  vi.useFakeTimers();
  done = [];
});
afterEach(() => void vi.useRealTimers());

it('does nothing for ten seconds, then once', async () => {
  deed('move', 'SY-1');
  await vi.advanceTimersByTimeAsync(9_999);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(done).toEqual(['move SY-1']);
});

it('takes back the last one only, and does at once what need not wait', async () => {
  deed('retry', 'SY-1');
  deed('move', 'SY-2');
  undo();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(done).toEqual(['retry SY-1']);
  undo();
  runNow(0);
  expect(done).toEqual(['retry SY-1']);
});

it('heeds the last word about a thing, and leaves the others of an earlier one', async () => {
  deed('retry', 'SY-1', 'SY-2');
  deed('move', 'SY-2');
  deed('retry', 'SY-3');
  deed('move', 'SY-3');
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(done).toEqual(['retry SY-1', 'move SY-2', 'move SY-3']);
});

it('does nothing any more to what something else was done to at once', async () => {
  deed('retry', 'SY-1', 'SY-2');
  deed('move', 'SY-3');
  supersede(['SY-2', 'SY-3']);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(done).toEqual(['retry SY-1']);
});

it('sends everything at once when the page is left, and nothing later', async () => {
  const page = new EventTarget();
  const stop = runAllOnLeave(page);
  deed('retry', 'SY-1', 'SY-2');
  page.dispatchEvent(new Event('pagehide'));
  expect(done).toEqual(['retry SY-1, left', 'retry SY-2, left']);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(done).toHaveLength(2);
  stop();
});
