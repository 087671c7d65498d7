import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchPackage } from './fetch-package.ts';

const progress = () => undefined;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-fetch-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** A registry that has nothing and remembers what it was asked for. */
async function emptyRegistry(): Promise<{ url: string; asked: string[]; server: Server }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, server };
}

describe('a pinned package', () => {
  it("comes from this user's registry, whatever a repository around the folder says", async () => {
    const [own, other] = await Promise.all([emptyRegistry(), emptyRegistry()]);
    try {
      const settings = join(folder, 'npmrc');
      await writeFile(settings, `registry=${own.url}\nfetch-retries=0\n`);
      for (const name of Object.keys(process.env)) {
        if (name.toLowerCase() === 'npm_config_registry') vi.stubEnv(name, undefined);
      }
      vi.stubEnv('npm_config_userconfig', settings);
      vi.stubEnv('npm_config_cache', join(folder, 'npm-cache'));
      const repository = join(folder, 'repository');
      await mkdir(repository);
      const manifest = { name: 'root', version: '1.0.0', workspaces: ['engines/*'] };
      await writeFile(join(repository, 'package.json'), JSON.stringify(manifest));
      await writeFile(join(repository, '.npmrc'), `registry=${other.url}\n`);
      const pin = { package: 'tiny-of-nobody@1.0.0', integrity: 'sha512-none' };
      const cacheFolder = join(repository, 'engines');
      await expect(fetchPackage(pin, { cacheFolder, progress })).rejects.toThrow('E404');
      expect(other.asked).toEqual([]);
      expect([...new Set(own.asked)]).toEqual(['/tiny-of-nobody']);
    } finally {
      own.server.close();
      other.server.close();
    }
  }, 60_000);

  it('is looked for in a given folder among its readable files alone', async () => {
    const given = join(folder, 'given');
    await mkdir(join(given, 'a-folder.tgz'), { recursive: true });
    await symlink('/dev/zero', join(given, 'endless.tgz'));
    await symlink('nowhere', join(given, 'gone.tgz'));
    await promisify(execFile)('mkfifo', [join(given, 'pipe.tgz')]);
    await writeFile(join(given, 'secret.tgz'), '');
    await chmod(join(given, 'secret.tgz'), 0);
    const pin = { package: 'tiny@1.0.0', integrity: 'sha512-none' };
    const cacheFolder = join(folder, 'cache');
    const found = fetchPackage(pin, { cacheFolder, progress, from: given });
    await expect(found).rejects.toThrow('has no archive of tiny@1.0.0 with its pinned content');
  }, 60_000);
});
