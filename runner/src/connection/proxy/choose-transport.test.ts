import { messageOf } from '@switchyard/shared/message-of';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunnerIdentity } from '../../identity.ts';
import { joinControlPlane } from '../../join-control-plane.ts';
import { mintAccessToken } from '../../mint-access-token.ts';
import { createGit } from '../../workspace/git/git.ts';
import { systemClock } from '../clock.ts';
import { getBlob, putBlob } from '../socket/put-blob.ts';
import { syncDial } from '../socket/sync-dial.ts';
import { websocketDial } from '../socket/websocket.ts';
import { ConnectProxy } from '../testing/connect-proxy.ts';
import { ControlPlaneServer } from '../testing/control-plane-server.ts';
import { chooseTransport } from './choose-transport.ts';

/** No name server knows it: only the proxy gets there. */
const HOST = 'plane.switchyard.test';
const PASSWORD = 'p@ss/word:#1%';
const NAMES = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'].flatMap((name) => [
  name,
  name.toUpperCase(),
]);
const before = NAMES.map((name) => [name, process.env[name]] as const);
const ATTEMPT = { attemptId: 'att_00000001', epoch: 1 };
const NOBODY = { text: () => undefined, closed: () => undefined };

let folder: string;
let plane: ControlPlaneServer;
let proxy: ConnectProxy;
let proxyHost: string;
let url: string;
beforeEach(async () => {
  for (const name of NAMES) delete process.env[name];
  folder = await mkdtemp(join(tmpdir(), 'swy-proxy-'));
  plane = new ControlPlaneServer();
  const { port } = new URL(await plane.listen());
  url = `http://${HOST}:${port}`;
  proxy = new ConnectProxy();
  proxyHost = await proxy.listen();
  proxy.hosts.set(`${HOST}:${port}`, Number(port));
});
afterEach(async () => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  await Promise.all([plane.close(), proxy.close()]);
  await rm(folder, { recursive: true, force: true });
});

const joined = (where = url): Promise<RunnerIdentity> =>
  joinControlPlane({
    url: where,
    token: 'enr_once',
    name: 'r',
    labels: [],
    version: '1',
    dataDir: join(folder, 'data'),
  });
const failure = async (work: Promise<unknown>): Promise<string> =>
  work.then(() => 'it worked', messageOf);
const dial = async (connectTimeoutMs = 10_000) =>
  websocketDial(
    url,
    async () => 'token',
    await chooseTransport(url, { connectTimeoutMs }),
  )(NOBODY, AbortSignal.timeout(20_000));
const send = async (connectTimeoutMs = 10_000): Promise<Response> => {
  const { fetch } = await chooseTransport(url, { connectTimeoutMs });
  return fetch(new URL(url), { headers: {}, signal: AbortSignal.timeout(20_000) });
};
const bothSay = async (connectTimeoutMs?: number): Promise<string> => {
  const [socket, request] = [
    await failure(dial(connectTimeoutMs)),
    await failure(send(connectTimeoutMs)),
  ];
  expect(request).toBe(socket);
  return socket;
};

describe('a proxy of the environment', () => {
  it('carries the join, the socket, blobs and requests', async () => {
    process.env['HTTP_PROXY'] = `http://${proxyHost}`;
    const identity = await joined();
    const transport = await chooseTransport(url);
    expect(transport.proxy).toBe(proxyHost);
    const token = () => mintAccessToken(identity, Date.now());
    const channel = await websocketDial(url, token, transport)(NOBODY, AbortSignal.timeout(20_000));
    expect(plane.tokens).toMatchObject([{ iss: identity.runnerId }]);
    channel.close(1000, 'done');
    const deps = { controlPlaneUrl: url, clock: systemClock(), transport };
    const { signal } = new AbortController();
    const attemptToken = () => plane.plane.attemptToken;
    const body = Buffer.alloc(300_000, 'x');
    const key = await putBlob(deps, ATTEMPT, attemptToken, { name: 'diff', body, signal });
    const read = await getBlob(deps, ATTEMPT, attemptToken, { key, signal });
    expect(Buffer.from(read)).toEqual(body);
    const target = url.replace('http://', '');
    expect(proxy.asked).toEqual(
      Array.from({ length: 4 }, () => ({ target, authorization: undefined })),
    );
  });

  it('carries requests where no socket can be had', async () => {
    process.env['all_proxy'] = proxyHost;
    const server = createServer((_request, response) => response.end('{"messages":[]}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    proxy.hosts.set(`${HOST}:80`, (server.address() as AddressInfo).port);
    const there = `http://${HOST}`;
    const transport = await chooseTransport(there);
    const over = new AbortController();
    await syncDial(there, async () => 'token', transport)(NOBODY, over.signal);
    over.abort();
    expect(proxy.asked).toMatchObject([{ target: `${HOST}:80` }]);
    server.closeAllConnections();
    server.close();
  });

  it('is left out for this machine, for hosts of NO_PROXY and when it is for the other scheme', async () => {
    process.env['http_proxy'] = `http://${proxyHost}`;
    await joined(plane.url);
    for (const listed of [HOST, '.switchyard.test', `x.test, ${HOST}:${new URL(url).port}`, '*']) {
      process.env['NO_PROXY'] = listed;
      expect((await chooseTransport(url)).proxy, listed).toBeNull();
    }
    process.env['NO_PROXY'] = 'other.test';
    expect((await chooseTransport(url)).proxy).toBe(proxyHost);
    expect((await chooseTransport(`https://${HOST}`)).proxy).toBeNull();
    for (const own of ['localhost', 'a.localhost', '127.9.9.9', '[::1]'])
      expect((await chooseTransport(`http://${own}:1`)).proxy).toBeNull();
    expect(proxy.asked).toEqual([]);
  });

  it('is given user and password, and a refusal says what to do without them', async () => {
    const given = `http://sam:${encodeURIComponent(PASSWORD)}@${proxyHost}`;
    process.env['HTTP_PROXY'] = given;
    proxy.credentials = `sam:${PASSWORD}`;
    await joined();
    proxy.credentials = 'sam:other';
    const refused = `the proxy at ${proxyHost} does not take the user and password of HTTP_PROXY (407): correct them, or list ${HOST} in NO_PROXY`;
    expect(await bothSay()).toBe(refused);
    expect(await failure(joined())).toContain(refused);
    process.env['HTTP_PROXY'] = `http://${proxyHost}`;
    expect(await bothSay()).toContain(
      'wants a user and a password (407): set HTTP_PROXY to http://USER:PASSWORD@HOST:PORT',
    );
    expect(proxy.asked.at(-1)).toMatchObject({ authorization: undefined });
  });

  it('that does not connect, or cannot be had, is named with the variable', async () => {
    process.env['ALL_PROXY'] = proxyHost;
    proxy.hosts.clear();
    expect(await bothSay()).toContain(`does not connect to ${HOST}:${new URL(url).port} (403)`);
    await proxy.close();
    expect(await bothSay()).toMatch(/cannot be used \(connect ECONNREFUSED.*\): check ALL_PROXY/);
  });

  it('that says nothing is given up in time, with nothing left open', async () => {
    process.env['HTTP_PROXY'] = `http://${proxyHost}`;
    proxy.isSilent = true;
    expect(await bothSay(100)).toBe(
      `the proxy at ${proxyHost} did not answer within 0.1 s: check HTTP_PROXY, or list ${HOST} in NO_PROXY`,
    );
    await expect.poll(() => proxy.open).toBe(0);
  });

  it('is also that of git, whose refusals count as trouble with the host', async () => {
    process.env['HTTPS_PROXY'] = `http://sam:s3same@${proxyHost}`;
    const git = await createGit({ homePath: join(folder, 'home') });
    const remoteUrl = `https://${HOST}/app.git`;
    const ask = () => git.run({ args: ['ls-remote', remoteUrl], remoteUrl });
    for (const credentials of [null, 'sam:other']) {
      proxy.credentials = credentials;
      const error: unknown = await ask().catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'host_unreachable' });
      expect(messageOf(error)).not.toContain('s3same');
    }
    const authorization = `Basic ${Buffer.from('sam:s3same').toString('base64')}`;
    expect(proxy.asked).toContainEqual({ target: `${HOST}:443`, authorization });
  });

  it.each([
    'socks5://127.0.0.1:1080',
    'http://',
    `http://sam:${PASSWORD}@proxy.test:1`,
    'http://sam:12#secret@proxy.test:1',
    'http://sam:50%@proxy.test:1',
  ])('that cannot be used is refused without showing it: %s', async (value) => {
    process.env['HTTP_PROXY'] = value;
    const said = await failure(chooseTransport(url));
    expect(said).toContain('HTTP_PROXY');
    for (const secret of ['sam', 'secret', 'p@ss', '50%']) expect(said).not.toContain(secret);
  });
});
