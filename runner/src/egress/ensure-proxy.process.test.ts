import { processLives } from '@switchyard/shared/host/process-lives';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from './grant.ts';
import { ensureProxy } from './ensure-proxy.ts';
import { closed, listening } from './proxy-server.ts';
import { controlSocketPath } from './start-proxy.ts';

const KEY = 'sk-very-secret-provider-key';

let dataFolder: string;
const upstream = createServer((request, response) => {
  response.end(JSON.stringify({ key: request.headers.authorization === `Bearer ${KEY}` }));
});

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'swy-proxy-'));
  await listening(upstream, { host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  const found = await ensureProxy(dataFolder);
  await found.stop();
  await closed(upstream);
  await rm(dataFolder, { recursive: true, force: true });
});

function post(where: { socketPath: string } | { port: number }, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const options = { ...where, method: 'POST', path: '/v1/responses', headers };
    const request = httpRequest(options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
    request.end('{}');
  });
}

describe('model proxy process', () => {
  it('is started once, found again with its grants, and keeps keys off disk', async () => {
    const folder = join(dataFolder, 'access');
    const first = await ensureProxy(dataFolder);
    await mkdir(folder);
    await first.grant({
      attemptId: 'A1',
      epoch: 3,
      tokenHash: hashToken('tok'),
      upstreamBaseUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      apiKey: KEY,
      expiresAtMs: Date.now() + 60_000,
      socketFolder: folder,
    });
    const second = await ensureProxy(dataFolder);
    const status = await second.status();
    expect(status.pid).toBe((await first.status()).pid);
    expect(status.grants).toMatchObject([{ attemptId: 'A1', epoch: 3, requests: 0 }]);
    expect(JSON.stringify(status)).not.toContain(KEY);

    expect(await post({ socketPath: join(folder, 'proxy.sock') }, 'tok')).toBe('{"key":true}');
    expect(await post({ port: second.hostPort }, 'tok')).toBe('{"key":true}');
    expect((await stat(join(folder, 'proxy.sock'))).mode & 0o777).toBe(0o666);
    expect((await stat(controlSocketPath(dataFolder))).mode & 0o777).toBe(0o600);
    for (const name of await readdir(join(dataFolder, 'egress'))) {
      if (name.endsWith('.sock')) continue;
      expect(await readFile(join(dataFolder, 'egress', name), 'utf8')).not.toContain(KEY);
    }
    expect(await second.revoke({ attemptId: 'A1', epoch: 3 })).toBe(true);
    expect(await post({ port: second.hostPort }, 'tok')).toContain('invalid_token');
  });

  it('comes back on the same port with the next grant after it was killed', async () => {
    const proxy = await ensureProxy(dataFolder);
    const grant = {
      attemptId: 'A1',
      epoch: 1,
      tokenHash: hashToken('tok'),
      apiKey: KEY,
      socketFolder: null,
      upstreamBaseUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      expiresAtMs: Date.now() + 60_000,
    };
    await proxy.grant(grant);
    const { hostPort } = proxy;
    process.kill((await proxy.status()).pid, 'SIGKILL');
    await expect.poll(() => proxy.status().catch(() => null)).toBeNull();
    expect(await proxy.revoke(grant)).toBe(false);
    await proxy.grant(grant);
    expect(proxy.hostPort).toBe(hostPort);
    expect(await post({ port: hostPort }, 'tok')).toBe('{"key":true}');
  });

  it('speaks https to a provider that the system trusts, and to no other', async () => {
    const [keyFile, certFile] = [join(dataFolder, 'key.pem'), join(dataFolder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certFile];
    execFileSync('openssl', ['req', '-x509', '-days', '1', ...made, ...subject], {
      stdio: 'ignore',
    });
    const tls = createTlsServer(
      { key: await readFile(keyFile), cert: await readFile(certFile) },
      (request, response) => response.end(`${request.url} ${request.headers.authorization}`),
    );
    await listening(tls, { host: '127.0.0.1', port: 0 });
    const grant = {
      attemptId: 'A1',
      epoch: 1,
      tokenHash: hashToken('tok'),
      apiKey: KEY,
      socketFolder: null,
      upstreamBaseUrl: `https://localhost:${(tls.address() as AddressInfo).port}/v1`,
      expiresAtMs: Date.now() + 60_000,
    };
    const untrusting = await ensureProxy(dataFolder);
    await untrusting.grant(grant);
    expect(await post({ port: untrusting.hostPort }, 'tok')).toContain(
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    );
    await untrusting.stop();
    process.env['NODE_EXTRA_CA_CERTS'] = certFile;
    const trusting = await ensureProxy(dataFolder);
    delete process.env['NODE_EXTRA_CA_CERTS'];
    await trusting.grant(grant);
    expect(await post({ port: trusting.hostPort }, 'tok')).toBe(`/v1/responses Bearer ${KEY}`);
    await closed(tls);
  }, 20_000);

  it('names wrong fields without repeating their values', async () => {
    const proxy = await ensureProxy(dataFolder);
    const wrong = proxy.grant({
      attemptId: '../x',
      epoch: 1,
      tokenHash: 'short',
      upstreamBaseUrl: 'ftp://x',
      apiKey: KEY,
      expiresAtMs: 1,
      socketFolder: null,
    });
    await expect(wrong).rejects.toThrow('attemptId, tokenHash, upstreamBaseUrl');
    await expect(wrong).rejects.not.toThrow(KEY);
  });

  it('ends by itself when its data folder is gone', async () => {
    const { pid } = await (await ensureProxy(dataFolder)).status();
    await rm(dataFolder, { recursive: true });
    await expect.poll(() => processLives(pid), { interval: 200 }).toBe(false);
  }, 20_000);

  it('ends by itself when nothing is granted', async () => {
    const proxy = await ensureProxy(dataFolder, { idleMinutes: 0.001 });
    const { pid } = await proxy.status();
    await expect.poll(() => processLives(pid), { interval: 200 }).toBe(false);
  }, 20_000);
});
