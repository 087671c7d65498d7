import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cachesCommand as showCaches, parseDays } from '../caches-command.ts';
import { SetupCaches, cachesFolder, listCaches, pruneCaches } from './setup-caches.ts';

const MiB = 1024 * 1024;
const DAY_MS = 86_400_000;
const [ONE, OTHER] = ['https://git.test/one', 'https://git.test/other'];

let dataDir = '';
let caches: SetupCaches;
const root = (): string => cachesFolder(dataDir);
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'swy-caches-'));
  caches = new SetupCaches(root(), null);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** A hook that leaves so many bytes in its repository's cache; answers what it was told. */
async function fill(repositoryUrl: string, bytes: number, nowMs = 1, maxBytes = MiB) {
  const emptied: number[] = [];
  await caches.use(
    { repositoryUrl, maxBytes, nowMs },
    (folder) => writeFile(join(folder, 'package.tgz'), Buffer.alloc(bytes, 1)),
    async (diskBytes) => void emptied.push(diskBytes),
  );
  return emptied;
}

const seen = (repositoryUrl: string): Promise<string[]> =>
  caches.use(
    { repositoryUrl, maxBytes: MiB, nowMs: 1 },
    (path) => readdir(path),
    async () => undefined,
  );

describe('the dependency cache of a repository', () => {
  it('is there for the next attempt of that repository, and for no other repository', async () => {
    await fill(ONE, 10);
    expect(await seen(ONE)).toEqual(['package.tgz']);
    expect(await seen(OTHER)).toEqual([]);
  });

  it('is emptied when it is larger than it may be, and says how large it was', async () => {
    const [diskBytes] = await fill(ONE, 2 * MiB);
    expect(diskBytes).toBeGreaterThanOrEqual(2 * MiB);
    expect(await seen(ONE)).toEqual([]);
    expect(await fill(OTHER, 10)).toEqual([]);
  });

  it('is not emptied while another attempt uses it', async () => {
    const first = Promise.withResolvers<void>();
    const emptied: string[] = [];
    const use = (name: string, work: (folder: string) => Promise<unknown>): Promise<unknown> =>
      caches.use({ repositoryUrl: ONE, maxBytes: MiB, nowMs: 1 }, work, async () => {
        emptied.push(name);
      });
    let folder = '';
    const slow = use('slow', async (path) => {
      folder = path;
      await first.promise;
    });
    await use('quick', (path) => writeFile(join(path, 'large'), Buffer.alloc(2 * MiB, 1)));
    expect(emptied).toEqual([]);
    expect(existsSync(join(folder, 'large'))).toBe(true);
    first.resolve();
    await slow;
    expect(emptied).toEqual(['slow']);
  });

  it('is left as it is by a hook that fails', async () => {
    await fill(ONE, 10);
    const failing = caches.use(
      { repositoryUrl: ONE, maxBytes: MiB, nowMs: 1 },
      () => Promise.reject(new Error('no network')),
      async () => undefined,
    );
    await expect(failing).rejects.toThrow('no network');
    expect(await seen(ONE)).toEqual(['package.tgz']);
  });
});

describe('the caches of a machine', () => {
  it('are listed with their sizes, the largest first', async () => {
    expect(await listCaches(root())).toEqual([]);
    await fill(ONE, 10, 5);
    await fill(OTHER, 300_000, 6);
    const listed = await listCaches(root());
    expect(listed.map(({ repositoryUrl, lastUsedMs }) => [repositoryUrl, lastUsedMs])).toEqual([
      [OTHER, 6],
      [ONE, 5],
    ]);
    expect(listed[0]?.diskBytes).toBeGreaterThanOrEqual(300_000);
    const text = await showCaches({ dataDir, unusedDays: 0 }, 7);
    expect(text).toMatch(/MiB {2}last used 1970-01-01 {2}https:\/\/git\.test\/other\n/);
    expect(text).toMatch(/ in 2 dependency caches\n$/);
  });

  it('are pruned by their last use', async () => {
    await fill(ONE, 10, 1);
    await fill(OTHER, 10, 40 * DAY_MS);
    const flags = { dataDir, prune: true, unusedDays: 30, json: true };
    const answer: unknown = JSON.parse(await showCaches(flags, 41 * DAY_MS));
    expect(answer).toMatchObject({ pruned: true, caches: [{ repositoryUrl: ONE }] });
    expect((await listCaches(root())).map((one) => one.repositoryUrl)).toEqual([OTHER]);
    expect(await pruneCaches(root(), Number.MAX_SAFE_INTEGER)).toHaveLength(1);
    expect(await readdir(root())).toEqual([]);
  });

  it('take whole days only', () => {
    expect(parseDays('30')).toBe(30);
    for (const text of ['', '-1', '1.5', 'x', '4000'])
      expect(() => parseDays(text)).toThrow('--unused-days');
  });
});
