import { OpenAPIHono } from '@hono/zod-openapi';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { SUBPROTOCOL } from '@switchyard/shared/protocol/limits';
import { type CoreWorld, createCoreWorld } from '../../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../../test/support/core/runner-peers.ts';
import { runners } from '../../../db/schema/runners/runners.ts';
import type { HttpEnv } from '../../../http/bindings.ts';
import { paceFrames } from './pace-frames.ts';
import { runnerSocketRoute } from './runner-socket-route.ts';
import { SocketRegistry } from './socket-registry.ts';
import { serveApp } from '../http/serve-app.ts';

let world: CoreWorld;
let server: Awaited<ReturnType<typeof serveApp>>;
const registry = new SocketRegistry();
const open: WebSocket[] = [];
beforeEach(async () => {
  world = await createCoreWorld(openFramePeer);
  const app = new OpenAPIHono<HttpEnv>();
  const { deps, handleFrame } = world.core;
  runnerSocketRoute(app, { ...deps, handleFrame }, registry);
  server = await serveApp(app, { host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  await server.close();
  await world.close();
});

/** A runner's socket, and with which code it ended. */
async function connectRunner() {
  const { runnerId, identity } = await world.join();
  const { audience } = world.deps.service;
  const token = await identity.accessToken({ runnerId, audience, nowMs: world.clock.nowMs() });
  const socket = new WebSocket(
    `ws://127.0.0.1:${server.port}/api/v1/runners/connect`,
    SUBPROTOCOL,
    { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false },
  );
  open.push(socket);
  const ended: { code: number | null } = { code: null };
  socket.on('close', (code) => (ended.code = code));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('open', resolve));
  return { runnerId, socket, ended };
}

const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 25_000, interval: 10 });

describe('the socket of a runner', () => {
  it('is cut within one keep-alive when another instance has revoked it', async () => {
    const { runnerId, socket, ended } = await connectRunner();
    const other = await connectRunner();
    const revoked = { revoked_at_ms: world.clock.nowMs() };
    await world.deps.db.update(runners).set(revoked).where(eq(runners.runner_id, runnerId));
    world.clock.advance(15_000);
    socket.send('ping');
    other.socket.send('ping');
    await until(() => expect(ended.code).toBe(4403));
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('is cut when it speaks for a runner that was revoked', async () => {
    const { runnerId, socket, ended } = await connectRunner();
    const revoked = { revoked_at_ms: world.clock.nowMs() };
    await world.deps.db.update(runners).set(revoked).where(eq(runners.runner_id, runnerId));
    const hello = {
      type: 'hello',
      protocol: { min: 1, max: 1 },
      runnerId,
      bootId: 'b',
      instanceId: 'i',
      version: '0',
      features: [],
      labels: [],
      slots: { total: 1, free: 1 },
      isolation: 'process',
      warnings: [],
      draining: false,
      held: [],
    };
    socket.send(JSON.stringify([hello]));
    await until(() => expect(ended.code).toBe(4403));
  });

  it('is given up when it asks on and on and reads no answer', { timeout: 60_000 }, async () => {
    const { runnerId, socket, ended } = await connectRunner();
    socket.pause();
    const frame = JSON.stringify(Array.from({ length: 256 }, () => ({ type: 'x'.repeat(64) })));
    await until(async () => {
      for (let count = 0; count < 50; count += 1) socket.send(frame);
      expect(await registry.connected([runnerId])).toEqual(new Map());
    });
    socket.resume();
    await until(() => expect(ended.code).not.toBeNull());
  });
});

describe('the pace of frames', () => {
  it('stops reading while much waits, and goes on when little does', () => {
    const said: string[] = [];
    const pace = paceFrames({ pause: () => said.push('stop'), resume: () => said.push('go') });
    for (let count = 0; count < 5; count += 1) pace.came(1_000_000);
    expect(said).toEqual(['stop']);
    for (let count = 0; count < 3; count += 1) pace.handled(1_000_000);
    expect(said).toEqual(['stop']);
    pace.handled(1_000_000);
    expect(said).toEqual(['stop', 'go']);
  });
});
