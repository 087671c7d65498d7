import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Front,
  startBareProxy,
  startForwarder,
} from '../../../test/support/fronts/start-front.ts';
import { type Plane, startPlane } from '../../../test/support/fronts/start-plane.ts';
import { ServiceClient } from '../client/service-client.ts';
import { checkCallers } from './check-callers.ts';
import { listenersIn } from './list-listeners.ts';

const WRITE = { SERVICE_WRITE_TOKEN: 'a-write-token-of-the-test' };
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function start(env: Record<string, string>): Promise<Plane> {
  const plane = await startPlane(env);
  open.push(plane);
  return plane;
}

async function before(front: Promise<Front>): Promise<Front> {
  const started = await front;
  open.push(started);
  return started;
}

/** What doctor finds, with the ports that strangers could reach; each as its status and its name. */
async function look(plane: Plane, ports: number[] = [], publicOrigin?: string) {
  const flags = { url: plane.url, host: 'unused', port: 0, dataDir: plane.dataDir };
  const findings = await checkCallers(new ServiceClient(flags, {}), {
    publicOrigin,
    listeners: () => ports.map((port) => ({ address: '127.0.0.1', port, everywhere: false })),
  });
  return findings.map(({ status, name }) => `${status} ${name}`);
}

describe('what doctor says of who may come in', () => {
  it('is well while nobody else is expected', async () => {
    expect(await look(await start({}))).toEqual(['ok callers']);
  });

  it('is a warning once a write token says that others are expected', async () => {
    expect(await look(await start(WRITE))).toEqual(['warn callers']);
  });

  it('names each door that leads in as this machine', async () => {
    const plane = await start(WRITE);
    const forwarder = await before(startForwarder(plane.port));
    const proxy = await before(startBareProxy(plane.port));
    const found = await look(plane, [forwarder.port, proxy.port]);
    expect(found).toEqual(['warn callers', 'fail open door', 'fail open door']);
    const address = `http://localhost:${forwarder.port}`;
    expect(await look(plane, [], address)).toEqual(['warn callers', 'fail public address']);
  });

  it('is well behind the same doors once the local secret is asked for', async () => {
    const plane = await start({ ...WRITE, SERVICE_TRUST_LOOPBACK: '0' });
    const { port } = await before(startForwarder(plane.port));
    expect(await look(plane, [port])).toEqual(['ok callers']);
    // The door is closed, but the proxy says nothing of where callers come from.
    const address = `http://127.0.0.1:${port}`;
    expect(await look(plane, [], address)).toEqual(['ok callers', 'warn public address']);
  });

  it('names an address under which the service does not answer', async () => {
    const plane = await start(WRITE);
    const { port } = await before(startBareProxy(plane.port, 'board.example'));
    const address = `http://localhost:${port}`;
    const flags = { url: plane.url, host: 'unused', port: 0, dataDir: plane.dataDir };
    const findings = await checkCallers(new ServiceClient(flags, {}), {
      publicOrigin: address,
      listeners: () => [],
    });
    expect(findings.at(-1)).toMatchObject({
      status: 'fail',
      name: 'public address',
      fix: `start it with SERVICE_PUBLIC_ORIGIN=${address}`,
    });
  });

  it('is not misled by what is no such service, or answers nothing', async () => {
    const plane = await start(WRITE);
    const silent = createServer((socket) => socket.resume().end('220 mail.example\r\n'));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => silent.close(resolve)) });
    const { port } = silent.address() as AddressInfo;
    expect(await look(plane, [port])).toEqual(['warn callers']);
    const origin = `http://127.0.0.1:${port}`;
    expect(await look(plane, [], origin)).toEqual(['warn callers', 'warn public address']);
    expect(await look(plane, [], 'not an address')).toEqual([
      'warn callers',
      'fail public address',
    ]);
  });

  it('says nothing where no service answers', async () => {
    const plane = await startPlane({});
    await plane.close();
    expect(await look(plane)).toEqual([]);
  });
});

describe('listeners in the tables of the kernel', () => {
  const row = (local: string, state = '0A') =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 0 0 1 1`;

  it('are those that others could reach', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid',
      row('0100007F:0FA0'),
      row('00000000:0050'),
      row('0501A8C0:01BB'),
      row('0501A8C0:0016', '01'),
      row('00000000000000000000000001000000:0FA0'),
      row('00000000000000000000000000000000:1F90'),
      row('0000000000000000FFFF00000100007F:0FA1'),
      row('B80D0120000000000000000001000000:0051'),
    ].join('\n');
    expect(listenersIn(table)).toEqual([
      { address: '127.0.0.1', port: 80, everywhere: true },
      { address: '192.168.1.5', port: 443, everywhere: false },
      { address: '127.0.0.1', port: 8080, everywhere: true },
      { address: '2001:db8::1', port: 81, everywhere: false },
    ]);
  });
});
