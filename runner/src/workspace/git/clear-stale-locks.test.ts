import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearStaleLocks } from './clear-stale-locks.ts';

const STALE_AFTER_MS = 300;
let gitDir: string;
beforeEach(async () => {
  gitDir = await mkdtemp(join(tmpdir(), 'swy-locks-'));
  await mkdir(join(gitDir, 'refs', 'heads'), { recursive: true });
});
afterEach(() => rm(gitDir, { recursive: true, force: true }));

/** A lock whose file says that it is so old; below zero: it comes from the future. */
async function lock(name: string, ageMs: number): Promise<string> {
  const path = join(gitDir, name);
  await writeFile(path, '');
  const date = new Date(Date.now() - ageMs);
  await utimes(path, date, date);
  return path;
}
const clear = () => clearStaleLocks(gitDir, { staleAfterMs: STALE_AFTER_MS });

describe('clearStaleLocks', () => {
  it('removes old locks at once, and young ones when they are old', async () => {
    const old = await lock('HEAD.lock', 60_000);
    const young = await lock('refs/heads/main.lock', 0);
    const fromMs = performance.now();
    expect(await clear()).toBe(true);
    expect([old, young].filter((path) => existsSync(path))).toEqual([]);
    expect(performance.now() - fromMs).toBeGreaterThan(STALE_AFTER_MS / 2);
    expect(await clear()).toBe(false);
  });

  it('removes locks from the future that stay as they are, and waits once for all', async () => {
    const paths = await Promise.all(
      ['HEAD.lock', 'packed-refs.lock', 'config.lock', 'refs/heads/main.lock'].map((name) =>
        lock(name, -3_600_000),
      ),
    );
    const fromMs = performance.now();
    expect(await clear()).toBe(true);
    const tookMs = performance.now() - fromMs;
    expect(paths.filter((path) => existsSync(path))).toEqual([]);
    expect(tookMs).toBeGreaterThan(STALE_AFTER_MS * 0.9);
    expect(tookMs).toBeLessThan(STALE_AFTER_MS * 3);
  });

  it.each([0, -3_600_000])('leaves one that was taken anew meanwhile (age %i)', async (ageMs) => {
    const path = await lock('refs/heads/main.lock', ageMs);
    const clearing = clear();
    await delay(STALE_AFTER_MS / 3);
    await rm(path);
    await lock('refs/heads/main.lock', ageMs - 1_000);
    expect(await clearing).toBe(true);
    expect(existsSync(path)).toBe(true);
  });
});
