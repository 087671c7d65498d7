import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdDataFolder } from '../hold-data-folder.ts';
import { ServiceClient } from './service-client.ts';

const SECRET = `swl_${'x'.repeat(43)}`;

describe('what the command line shows a service', () => {
  let dataDir: string;
  let server: Server;
  let port: number;
  const shown: (string | undefined)[] = [];
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'switchyard-client-'));
    await writeFile(join(dataDir, 'local-secret'), `${SECRET}\n`, { mode: 0o600 });
    server = createServer((request, response) => {
      shown.push(request.headers.authorization);
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(dataDir, { recursive: true, force: true });
  });

  async function ask(host: string, env: Record<string, string>): Promise<string | undefined> {
    const flags = { url: `http://${host}:${port}`, host: 'unused', port: 0, dataDir };
    await new ServiceClient(flags, env).ask('GET', '/state');
    return shown.at(-1);
  }

  it('is the local secret, on this machine only', async () => {
    expect(await ask('127.0.0.1', {})).toBe(`Bearer ${SECRET}`);
    expect(await ask('127.1', {})).toBe(`Bearer ${SECRET}`);
    // It leads here, but says nothing of this machine.
    expect(await ask('0.0.0.0', {})).toBeUndefined();
  });

  it('goes where the process that holds the data folder serves', async () => {
    const env = { SWITCHYARD_URL: '' };
    const served = await holdDataFolder(dataDir, 'start');
    try {
      expect(new ServiceClient({ dataDir }, env)).toMatchObject({ isOf: 'nobody' });
      served.serveAt(`http://127.0.0.1:${port}`);
      const client = new ServiceClient({ dataDir }, env);
      await client.ask('GET', '/state');
      expect(client).toMatchObject({ url: `http://127.0.0.1:${port}`, isOf: 'holder' });
      expect(shown.at(-1)).toBe(`Bearer ${SECRET}`);
      const named = { url: 'http://127.0.0.1:4100', isOf: 'named' };
      expect(new ServiceClient({ dataDir, port: 4100 }, env)).toMatchObject(named);
      expect(new ServiceClient({ dataDir }, { SWITCHYARD_URL: named.url })).toMatchObject(named);
    } finally {
      served.release();
    }
  });

  it('is the usual address, which may be a stranger, where nobody holds the data folder', async () => {
    const usual = { url: 'http://127.0.0.1:4000', isOf: 'nobody' };
    expect(new ServiceClient({ dataDir }, {})).toMatchObject(usual);
    // Words of one that was killed.
    const words = { id: 'x', command: 'switchyard start', pid: 1, host: hostname(), sinceMs: 0 };
    const address = `http://127.0.0.1:${port}`;
    const file = join(dataDir, 'holder.json');
    await writeFile(file, JSON.stringify({ ...words, address, keeperPid: null }));
    expect(new ServiceClient({ dataDir }, {})).toMatchObject(usual);
    await rm(file);
  });

  it('is nothing where the folder has a service of its own that does not run', async () => {
    (await holdDataFolder(dataDir, 'start')).release();
    await writeFile(join(dataDir, 'switchyard.db'), '');
    try {
      const client = new ServiceClient({ dataDir }, { SWITCHYARD_TOKEN: 'token-of-it' });
      expect(client).toMatchObject({ isOf: 'nobody', isForeign: true });
      await expect(client.ask('GET', '/state')).rejects.toThrow(
        `no service runs on the data folder ${dataDir}`,
      );
      const before = shown.length;
      // Whoever is named is meant.
      await new ServiceClient({ dataDir, port }, {}).ask('GET', '/state');
      expect(shown).toHaveLength(before + 1);
    } finally {
      await rm(join(dataDir, 'switchyard.db'));
    }
  });

  it('is a token where there is one', async () => {
    expect(await ask('127.0.0.1', { SERVICE_WRITE_TOKEN: 'w' })).toBe('Bearer w');
    const both = { SWITCHYARD_TOKEN: 't', SERVICE_WRITE_TOKEN: 'w' };
    expect(await ask('0.0.0.0', both)).toBe('Bearer t');
    expect(await ask('127.0.0.1', { SWITCHYARD_TOKEN: '' })).toBe(`Bearer ${SECRET}`);
  });
});

describe('bytes of a service', () => {
  let server: Server;
  let client: ServiceClient;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/gone') response.writeHead(404).end('{"error":"no longer kept"}');
      else response.end(Buffer.alloc(2_048, 1));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = new ServiceClient({ url: `http://127.0.0.1:${port}`, dataDir: tmpdir() }, {});
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('are read up to a limit, from its own paths only', async () => {
    expect(await client.bytes('/file', 2_048)).toEqual(new Uint8Array(2_048).fill(1));
    await expect(client.bytes('/file', 2_047)).rejects.toThrow('larger than 2 KiB');
    await expect(client.bytes('/gone', 2_048)).rejects.toThrow('no longer kept');
    for (const other of ['@127.0.0.2/file', '.example/file', 'http://127.0.0.2/'])
      await expect(client.bytes(other, 2_048)).rejects.toThrow('names no path');
  });
});
