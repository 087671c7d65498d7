import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A registry with one package, on the loopback of this host. */
export type PackageRegistry = {
  url: string;
  port: number;
  /** Paths that were asked for. */
  asked: string[];
  close(): Promise<void>;
};

/** Serves `name` 1.0.0, whose main module says `text`. The caller closes it. */
export async function startPackageRegistry(name: string, text: string): Promise<PackageRegistry> {
  const tarball = await pack(name, text);
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { port } = server.address() as AddressInfo;
    if (request.url === `/${name}`) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(metadataOf(name, tarball, `http://127.0.0.1:${port}`)));
    } else if (request.url === `/${name}/-/${name}-1.0.0.tgz`) {
      response.end(tarball);
    } else {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function metadataOf(name: string, tarball: Buffer, origin: string): Record<string, unknown> {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const dist = { tarball: `${origin}/${name}/-/${name}-1.0.0.tgz`, integrity };
  const manifest = { name, version: '1.0.0', main: 'index.js', dist };
  return { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': manifest } };
}

async function pack(name: string, text: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-package-'));
  try {
    const inside = join(folder, 'package');
    await mkdir(inside);
    const manifest = { name, version: '1.0.0', main: 'index.js' };
    await writeFile(join(inside, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(inside, 'index.js'), `module.exports = ${JSON.stringify(text)};\n`);
    await promisify(execFile)('tar', ['-C', folder, '-czf', join(folder, 'out.tgz'), 'package']);
    return await readFile(join(folder, 'out.tgz'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
