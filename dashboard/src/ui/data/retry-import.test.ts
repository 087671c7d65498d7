import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { retryImport } from './retry-import.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Loads only after so many failures. */
function loader(failures: number) {
  let calls = 0;
  const load = async () => {
    calls += 1;
    if (calls <= failures) throw new Error('the network changed');
    return calls;
  };
  return { load, calls: () => calls };
}

it('tries again what failed', async () => {
  const { load } = loader(2);
  const loaded = retryImport(load);
  await vi.runAllTimersAsync();
  expect(await loaded).toBe(3);
});

it('stops trying, and says why', async () => {
  const { load, calls } = loader(100);
  const refusal = retryImport(load).catch((error: unknown) => String(error));
  await vi.runAllTimersAsync();
  expect(await refusal).toContain('the network changed');
  expect(calls()).toBe(4);
});
