import { sendAllFirst } from '../../../test/support/fronts/send-all-first.ts';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EgressPolicy } from './policy/egress-policy.ts';
import { hashToken } from './grant.ts';
import { ProxyServer, closed, listening } from './proxy-server.ts';

const OWNER = { attemptId: 'A1', epoch: 1 };
let folder: string;
let world: Server;
let handler: RequestListener;
let proxy: ProxyServer;
let resolved: string[];
/** Every name not listed here has no address. */
let names: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-world-'));
  handler = (request, response) => response.end(`${request.method} ${request.headers.host}`);
  world = createServer((request, response) => handler(request, response));
  await listening(world, { host: '127.0.0.1', port: 0 });
  resolved = [];
  names = {};
  proxy = new ProxyServer({
    resolve: async (host) => {
      resolved.push(host);
      if (host === 'silent.example') return new Promise<never>(() => undefined);
      const address = names[host];
      return address === undefined ? [] : [{ address, family: address.includes(':') ? 6 : 4 }];
    },
  });
  await proxy.listen();
});

afterEach(async () => {
  await proxy.close();
  await closed(world);
  await rm(folder, { recursive: true, force: true });
});

const port = (): number => (world.address() as AddressInfo).port;

const allow = (change: Partial<EgressPolicy> | null): Promise<void> =>
  proxy.grant({
    ...OWNER,
    tokenHash: hashToken('token'),
    upstreamBaseUrl: 'http://127.0.0.1:1/v1',
    apiKey: null,
    expiresAtMs: Date.now() + 60_000,
    socketFolder: folder,
    egress:
      change === null
        ? null
        : { hosts: [], privateHosts: [], readOnlyOrigins: [], maxBytes: 1_000_000, ...change },
  });

/** GET (or another method) through the proxy, as programs do it that know `http_proxy`. */
function get(url: string, method = 'GET', body = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        socketPath: join(folder, 'proxy.sock'),
        method,
        path: url,
        headers: { host: new URL(url).host },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** What comes back on a tunnel to `target` in which `text` is sent. */
function through(target: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(join(folder, 'proxy.sock'));
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (/^HTTP\/1\.1 200 [^\r]*\r\n\r\n$/.test(said)) socket.write(text);
    });
    socket.on('close', () => resolve(said));
    socket.on('error', reject);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  });
}

const refused = (): Record<string, string | null> =>
  Object.fromEntries(
    proxy
      .egressReport(OWNER)
      .entries.map(({ host, port: to, reason }) => [`${host}:${to}`, reason]),
  );

describe('way to the world', () => {
  it('lets a listed host through, in clear and as a tunnel, and counts', async () => {
    names['mirror.test'] = '127.0.0.1';
    const rule = `*.test:${port()}`;
    await allow({ hosts: [rule.replace('*', 'mirror')], privateHosts: [`mirror.test:${port()}`] });
    const reply = await get(`http://mirror.test:${port()}/a`);
    expect(reply).toEqual({ status: 200, text: `GET mirror.test:${port()}` });
    const said = await through(
      `mirror.test:${port()}`,
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(said).toContain('GET x');
    const [entry] = proxy.egressReport(OWNER).entries;
    expect(entry).toMatchObject({ host: 'mirror.test', port: port(), reason: null, requests: 2 });
    expect(entry?.receivedBytes).toBeGreaterThan(20);
  });

  it('tells why to a client that sends all before it reads', async () => {
    await allow({ hosts: [] });
    const sent = { path: 'http://evil.example.net/', body: 'x'.repeat(20_000_000) };
    expect(await sendAllFirst(join(folder, 'proxy.sock'), sent)).toBe(403);
    await allow(null);
    expect(await sendAllFirst(join(folder, 'proxy.sock'), sent)).toBe(403);
  });

  it('refuses every other name and port, and never looks such a name up', async () => {
    await allow({ hosts: ['good.example.org'] });
    expect((await get('http://evil.example.net/')).status).toBe(403);
    expect(await through('secret.evil.example.net:443', '')).toContain('host_not_allowed');
    expect(await through('good.example.org:22', '')).toContain('403');
    expect(resolved).toEqual([]);
    expect(refused()).toEqual({
      'evil.example.net:80': 'host_not_allowed',
      'secret.evil.example.net:443': 'host_not_allowed',
      'good.example.org:22': 'host_not_allowed',
    });
  });

  it('refuses what a listed name resolves to when that is private or tells machines their keys', async () => {
    names = {
      'a.example.org': '10.1.2.3',
      'b.example.org': '169.254.169.254',
      'c.example.org': '::1',
      'd.example.org': '::ffff:127.0.0.1',
    };
    const privateHosts = ['b.example.org'];
    await allow({ hosts: ['*.example.org', '169.254.169.254', '127.0.0.1:80'], privateHosts });
    for (const host of ['a.example.org', 'b.example.org', 'c.example.org', 'd.example.org'])
      expect((await get(`http://${host}/`)).status).toBe(403);
    expect((await get('http://169.254.169.254/latest/')).status).toBe(403);
    expect((await get('http://127.0.0.1/')).status).toBe(403);
    expect(refused()).toMatchObject({
      'a.example.org:80': 'private_address',
      'b.example.org:80': 'metadata_address',
      'c.example.org:80': 'private_address',
      'd.example.org:80': 'private_address',
      '169.254.169.254:80': 'metadata_address',
      '127.0.0.1:80': 'private_address',
    });
  });

  it("reaches a registry on the runner's loopback by its alias only", async () => {
    const rule = `127.0.0.1:${port()}`;
    await allow({ hosts: [rule], privateHosts: [rule] });
    expect((await get(`http://runner.internal:${port()}/x`)).status).toBe(200);
    expect((await get('http://runner.internal:1/x')).status).toBe(403);
  });

  it('does not follow a redirect: the next request is judged anew', async () => {
    names['good.example.org'] = '127.0.0.1';
    handler = (_request, response) => {
      response.writeHead(302, { location: 'http://evil.example.net/' });
      response.end();
    };
    const rule = `good.example.org:${port()}`;
    await allow({ hosts: [rule], privateHosts: [rule] });
    expect((await get(`http://good.example.org:${port()}/`)).status).toBe(302);
  });

  it('lets a code host be read and not be written', async () => {
    const origin = `http://127.0.0.1:${port()}`;
    await allow({ readOnlyOrigins: [origin], privateHosts: [`127.0.0.1:${port()}`] });
    const repository = `${origin}/team/app.git`;
    const statuses = [
      await get(`${repository}/info/refs?service=git-upload-pack`),
      await get(`${repository}/git-upload-pack`, 'POST', 'want'),
      await get(`${repository}/info/refs?service=git-receive-pack`),
      await get(`${repository}/git-receive-pack`, 'POST', 'push'),
      await get(`${origin}/api/v3/issues`, 'POST', '{}'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 403, 403, 403]);
    expect(await through(`127.0.0.1:${port()}`, '')).toContain('read_only_host');
  });

  it('does not leave a code host for one that the path looks like', async () => {
    const elsewhere = createServer((_request, response) => response.end('keys of the machine'));
    await listening(elsewhere, { host: '127.0.0.1', port: 0 });
    const origin = `http://127.0.0.1:${port()}`;
    await allow({ readOnlyOrigins: [origin], privateHosts: [`127.0.0.1:${port()}`] });
    const { port: other } = elsewhere.address() as AddressInfo;
    const { text } = await get(`${origin}//127.0.0.1:${other}/latest/meta-data`);
    await closed(elsewhere);
    expect(text).toBe(`GET 127.0.0.1:${port()}`);
  });

  it('cuts an attempt off at its byte limit', async () => {
    handler = (_request, response) => response.end('x'.repeat(200_000));
    const rule = `127.0.0.1:${port()}`;
    await allow({ hosts: [rule], privateHosts: [rule], maxBytes: 100_000 });
    const first = await get(`http://runner.internal:${port()}/`).catch(() => ({ text: '' }));
    expect(first.text.length).toBeLessThan(200_000);
    expect((await get(`http://runner.internal:${port()}/`)).text).toContain('byte_limit');
    expect(proxy.egressReport(OWNER).entries.map(({ reason }) => reason)).toContain('byte_limit');
  });

  it('lets nothing out without a policy, and nothing over the loopback port without the token', async () => {
    await allow(null);
    expect((await get('http://good.example.org/')).status).toBe(403);
    expect(await through('good.example.org:443', '')).toContain('403');
    await allow({ hosts: ['good.example.org'] });
    const said = await new Promise<string>((resolve) => {
      const socket = connect(proxy.hostPort, '127.0.0.1');
      socket.on('data', (chunk: Buffer) => resolve(chunk.toString()));
      socket.write('CONNECT good.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    expect(said).toContain('no_access');
  });

  it('has few requests under way at a time, those that wait for a name included', async () => {
    const found = Promise.withResolvers<void>();
    let known = 0;
    const tell = (): void => void ((known += 1) === 70 && found.resolve());
    await proxy.close();
    const resolve = async () => {
      tell();
      await found.promise;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    proxy = new ProxyServer({ resolve });
    await proxy.listen();
    const rule = `good.example.org:${port()}`;
    await allow({ hosts: [rule], privateHosts: [rule] });
    const asked = Array.from({ length: 70 }, async () => {
      const { status } = await get(`http://${rule}/`);
      tell();
      return status;
    });
    const statuses = await Promise.all(asked);
    expect(statuses.filter((status) => status === 403)).toHaveLength(6);
    expect((await get(`http://${rule}/`)).status).toBe(200);
  });

  it('is open to a limited number of connections of one container', async () => {
    await allow({});
    const sockets = [];
    for (let count = 0; count < 257; count += 1) {
      const socket = connect(join(folder, 'proxy.sock'));
      sockets.push(socket);
      await once(socket, 'connect');
    }
    const last = sockets.pop();
    last?.resume();
    await (last === undefined ? null : once(last, 'close'));
    const answered = once(sockets[0] ?? connect(''), 'data');
    sockets[0]?.write('GET http://other.example.org/ HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String(await answered)).toContain('host_not_allowed');
    for (const socket of sockets) socket.destroy();
  });

  it('ends with its connections, those of tunnels that wait for a name included', async () => {
    await allow({ hosts: ['silent.example'] });
    const socket = connect(join(folder, 'proxy.sock'));
    socket.on('error', () => undefined);
    socket.write('CONNECT silent.example:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => resolved).toEqual(['silent.example']);
    const ended = once(socket, 'close');
    expect(await proxy.revoke(OWNER)).toBe(true);
    await ended;
  });

  it('keeps a bounded log of what it refused', async () => {
    await allow({});
    for (let index = 0; index < 130; index += 1) await get(`http://h${index}.example.net/`);
    const report = proxy.egressReport(OWNER);
    expect(report.entries).toHaveLength(100);
    expect(report.others).toBe(30);
  });
});
