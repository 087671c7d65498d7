import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdBuildLock } from './hold-build-lock.ts';

/** No process has it: ids end far below. */
const NO_PROCESS = 2 ** 31 - 1;

describe('the lock of a build', () => {
  let folder: string;
  let lock: string;
  let waits: number;
  const never = new AbortController().signal;
  const hold = <T>(work: () => Promise<T>, signal = never): Promise<T> =>
    holdBuildLock(lock, { signal, waiting: () => void (waits += 1) }, work);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'swy-lock-'));
    lock = join(folder, 'lock');
    waits = 0;
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
    expect(waits).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is taken over from a process that is gone, or silent for a minute', async () => {
    await mkdir(lock);
    const owner = { pid: NO_PROCESS, host: hostname() };
    await writeFile(join(lock, 'owner.json'), JSON.stringify(owner));
    expect(await hold(async () => 'mine')).toBe('mine');
    await mkdir(lock);
    await writeFile(join(lock, 'owner.json'), JSON.stringify({ pid: 1, host: 'elsewhere' }));
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(lock, longAgo, longAgo);
    expect(await hold(async () => 'mine too')).toBe('mine too');
    expect(waits).toBe(0);
  });

  it('is waited for no longer than somebody wants it', async () => {
    await mkdir(lock);
    await writeFile(
      join(lock, 'owner.json'),
      JSON.stringify({ pid: process.pid, host: hostname() }),
    );
    const stop = new AbortController();
    const waiting = holdBuildLock(
      lock,
      { signal: stop.signal, waiting: () => stop.abort() },
      async () => 'never',
    );
    await expect(waiting).rejects.toThrow('abort');
    expect(await readdir(folder)).toEqual(['lock']);
  });
});
