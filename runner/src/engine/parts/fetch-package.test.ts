import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchPackage } from './fetch-package.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-packages-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A package of our own: npm packs a folder as it packs a name. */
async function ownPackage(): Promise<string> {
  await mkdir(join(folder, 'tiny'));
  await writeFile(
    join(folder, 'tiny', 'package.json'),
    JSON.stringify({ name: 'tiny', version: '1.0.0' }),
  );
  return `file:${join(folder, 'tiny')}`;
}

const noIntegrity = `sha512-${createHash('sha512').update('other').digest('base64')}`;

describe('pinned packages', () => {
  it('refuses a package that is not the pinned one, then takes and keeps the pinned one', async () => {
    const name = await ownPackage();
    const cache = join(folder, 'cache');
    const lines: string[] = [];
    const progress = (line: string): void => void lines.push(line);
    const how = { cacheFolder: cache, progress };
    const wrong = await fetchPackage({ package: name, integrity: noIntegrity }, how).catch(
      (error: unknown) => String(error),
    );
    const found = /integrity is (sha512-\S+),/.exec(wrong)?.[1] ?? '';
    const pin = { package: name, integrity: found };
    const path = await fetchPackage(pin, how);
    expect(await fetchPackage(pin, how)).toBe(path);
    expect(lines.at(-1)).toContain('in the cache');
    await writeFile(path, 'tampered');
    await fetchPackage(pin, how);
    expect(lines.at(-1)).toContain('fetched');
  }, 60_000);
});
