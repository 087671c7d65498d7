import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deferred } from '@switchyard/shared/deferred';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdFolderLock } from './hold-folder-lock.ts';

describe('the lock of a folder', () => {
  let folder: string;
  let lock: string;
  const never = new AbortController().signal;
  const hold = <T>(work: () => Promise<T>, signal = never): Promise<T> =>
    holdFolderLock(lock, { signal, waiting: () => undefined }, work);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-lock-'));
    lock = join(folder, 'lock');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('lets one at a time work, and gives itself back when that throws', async () => {
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      if (name === 'a') throw new Error('a fails');
    };
    const first = hold(work('a'));
    await expect(first).rejects.toThrow('a fails');
    await Promise.all([hold(work('b')), hold(work('c'))]);
    expect(order.map((entry) => entry.split(' ')[1])).toEqual(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? 'begins' : 'ends')),
    );
  });

  it('is waited for no longer than somebody wants it', async () => {
    const [begun, end] = [deferred<void>(), deferred<void>()];
    const first = hold(() => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    const stop = new AbortController();
    const waiting = holdFolderLock(
      lock,
      { signal: stop.signal, waiting: () => stop.abort() },
      async () => 'never',
    );
    await expect(waiting).rejects.toThrow('abort');
    end.resolve();
    await first;
    expect(await hold(async () => 'mine')).toBe('mine');
  });
});
