import { RECONNECT_CAP_MS } from './backoff.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallTable } from './calls.ts';
import type { CallError } from './calls.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { Lease } from './lease.ts';
import { ControlSession } from './session.ts';
import { ControlSocket } from './socket.ts';
import { Spool } from './spool.ts';
import { testSpec } from './testing/attempt-spec.ts';
import { FakeAttempts } from './testing/fake-attempts.ts';
import { FakeControlPlane } from './testing/fake-control-plane.ts';
import { MemorySocket } from './testing/memory-socket.ts';

const A = { attemptId: 'att_00000001', epoch: 1 };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

function makeRig() {
  const clock = new FakeClock();
  const plane = new FakeControlPlane();
  const wire = new MemorySocket(plane);
  const spool = new Spool(':memory:');
  const attempts = new FakeAttempts(spool);
  const lease = new Lease(clock, () => attempts.leaseExpired());
  const calls = new CallTable(clock, async (method, params) => {
    if (method === 'echo') return params;
    throw new Error('no such method');
  });
  const state = { revoked: 0 };
  const session: ControlSession = new ControlSession({
    introduction: {
      protocol: { min: 1, max: 1 },
      runnerId: 'run_1',
      bootId: 'boot',
      instanceId: 'instance',
      version: '0.0.0',
      features: [],
      labels: [],
      isolation: 'process',
      warnings: [],
    },
    ...{ attempts, spool, calls, lease, clock, log: silent },
    random: () => 0.5,
    healthy: (pingMs) => socket.healthy(pingMs),
    reconnect: (why, patient) => socket.reconnect(why, patient),
    welcomed: () => undefined,
    renewed: () => undefined,
    revoked: () => (state.revoked += 1),
  });
  const socket: ControlSocket = new ControlSocket({
    ...{ dial: wire.dial, clock, log: silent, owner: session },
    random: () => 0.5,
  });
  const stopping = new AbortController();
  const running = socket.run(stopping.signal);
  const emit = async (count: number, ref = A) => {
    for (let at = 0; at < count; at += 1)
      await spool.append(ref, 'log', { source: 'runner', text: `line ${at}` }, 0);
  };
  const stop = async () => {
    stopping.abort();
    await clock.advance(1);
    await running;
    spool.close();
  };
  return { clock, plane, wire, spool, attempts, lease, calls, session, state, emit, stop };
}

let rig: ReturnType<typeof makeRig>;
beforeEach(async () => {
  rig = makeRig();
  await rig.clock.advance(1);
});
afterEach(async () => {
  await rig.stop();
  expect(rig.wire.trouble).toBeNull();
});

const offer = (ref = A) =>
  rig.plane.say({
    type: 'offer',
    ...ref,
    expiresInMs: 15_000,
    spec: testSpec({ attemptId: ref.attemptId }),
  });
const runOne = async () => {
  offer();
  await rig.clock.advance(1);
};

describe('a session', () => {
  it('introduces itself and is welcomed', () => {
    expect(rig.plane.last('hello')).toMatchObject({
      runnerId: 'run_1',
      held: [],
      slots: { total: 4 },
    });
    expect(rig.attempts.welcomes).toBe(1);
  });

  it('accepts an offer and hands the grant on, also when it comes twice', async () => {
    rig.plane.mischief.doubleGrant = true;
    await runOne();
    expect(rig.plane.all('accept')).toHaveLength(1);
    expect(rig.attempts.grants).toHaveLength(2);
    await rig.emit(3);
    await rig.clock.advance(60);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(3);
  });

  it('declines with the reason', async () => {
    rig.attempts.answer = { accepted: false, code: 'NO_SLOT' };
    await runOne();
    expect(rig.plane.last('decline')).toMatchObject({ ...A, code: 'NO_SLOT' });
  });

  it('declines an offer that it cannot read and lives on', async () => {
    rig.plane.sayRaw(
      JSON.stringify([{ type: 'offer', ...A, expiresInMs: 1, spec: { attemptId: 1 } }]),
    );
    await rig.clock.advance(1);
    expect(rig.plane.last('decline')).toMatchObject({ ...A, code: 'SPEC_INVALID' });
    await runOne();
    expect(rig.attempts.grants).toHaveLength(1);
  });

  it('answers an unknown message type and takes the rest of the frame', async () => {
    rig.plane.sayRaw(
      JSON.stringify([
        { type: 'dance', ref: 'x' },
        { type: 'drain', deadlineMs: 1 },
      ]),
    );
    rig.plane.sayRaw('{{{');
    await rig.clock.advance(1);
    expect(rig.plane.all('error')[0]).toMatchObject({
      code: 'UNSUPPORTED',
      ref: 'x',
      retryable: false,
    });
    expect(rig.attempts.draining()).toBe(true);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('says accept again with the next renewal when the grant was lost', async () => {
    rig.plane.mischief.noGrant = true;
    await runOne();
    rig.plane.mischief.noGrant = false;
    await rig.clock.advance(17_000);
    expect(rig.plane.all('accept').length).toBeGreaterThan(1);
    expect(rig.attempts.grants).toHaveLength(1);
  });
});

describe('events', () => {
  it('arrive once, in order, over a cut in the middle', async () => {
    await runOne();
    await rig.emit(10);
    await rig.clock.advance(60);
    rig.plane.mischief.noAck = true;
    await rig.emit(10);
    await rig.clock.advance(60);
    rig.wire.cut();
    await rig.emit(10);
    rig.plane.mischief.noAck = false;
    await rig.clock.advance(2_000);
    const stored = rig.plane.stored.get('att_00000001@1') ?? [];
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
    expect(rig.spool.stream(A)).toMatchObject({ spooledSeq: 30, ackedSeq: 30, bytes: 0 });
  });

  it('go again from the last acknowledged one when a batch was lost', async () => {
    await runOne();
    rig.plane.mischief.loseBatches = 1;
    await rig.emit(200);
    await rig.clock.advance(200);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(200);
  });

  it('go again by and by when the only batch was lost without a word', async () => {
    await runOne();
    rig.plane.mischief.loseBatches = 1;
    await rig.emit(1);
    await rig.clock.advance(40_000);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(1);
  });

  it('stay within the window while nothing is acknowledged', async () => {
    await runOne();
    rig.plane.mischief.noAck = true;
    await rig.emit(600);
    await rig.clock.advance(1_000);
    const sent = rig.plane.all('events').reduce((sum, { items }) => sum + items.length, 0);
    expect(sent).toBe(256);
  });

  it('wait on disk while the socket is slow, and control messages pass them', async () => {
    await runOne();
    rig.wire.bufferedBytes = 2 * 1_048_576;
    await rig.emit(100);
    await rig.clock.advance(16_600);
    expect(rig.plane.all('events')).toHaveLength(0);
    expect(rig.plane.all('renew').length).toBeGreaterThan(0);
    rig.wire.bufferedBytes = 0;
    await rig.clock.advance(100);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(100);
  });
});

describe('finish', () => {
  it('goes only after every event is committed, and again until it is confirmed', async () => {
    await runOne();
    rig.plane.mischief.noAck = true;
    await rig.emit(5);
    rig.attempts.finish(A);
    rig.session.wake();
    await rig.clock.advance(1_000);
    expect(rig.plane.all('finish')).toHaveLength(0);
    rig.plane.mischief.noAck = false;
    rig.plane.mischief.noFinished = true;
    rig.wire.cut();
    await rig.clock.advance(2_000);
    expect(rig.plane.all('finish')).toHaveLength(1);
    rig.plane.mischief.noFinished = false;
    await rig.clock.advance(35_000);
    expect(rig.plane.all('finish').length).toBeGreaterThan(1);
    expect(rig.attempts.leases.size).toBe(0);
  });
});

describe('the lease', () => {
  it('is not renewed while nothing is held', async () => {
    await rig.clock.advance(120_000);
    expect(rig.plane.all('renew')).toHaveLength(0);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('is renewed about every 15 s while something is held', async () => {
    await runOne();
    await rig.clock.advance(61_000);
    expect(rig.plane.all('renew').length).toBeGreaterThanOrEqual(4);
    expect(rig.attempts.expired).toBe(0);
  });

  it('ends 15 s early, counted from when the answered request was sent', async () => {
    await runOne();
    rig.wire.refuse = true;
    rig.wire.cut();
    await rig.clock.advance(74_000);
    expect(rig.attempts.expired).toBe(0);
    await rig.clock.advance(1_100);
    expect(rig.attempts.expired).toBe(1);
  });

  it('is not shortened by a reconnect and not ended by retryable errors', async () => {
    await runOne();
    rig.plane.say({
      type: 'error',
      code: 'DB',
      message: 'busy',
      retryable: true,
      attemptId: A.attemptId,
    });
    await rig.clock.advance(40_000);
    rig.wire.cut();
    await rig.clock.advance(60_000);
    expect(rig.attempts.expired).toBe(0);
    expect(rig.attempts.fences).toEqual([]);
  });

  it('lets go of a fenced attempt only', async () => {
    await runOne();
    offer({ attemptId: 'att_00000002', epoch: 4 });
    await rig.clock.advance(1);
    rig.plane.say({ type: 'fence', ...A, code: 'LEASE_LOST', currentEpoch: 2 });
    await rig.clock.advance(1);
    expect(rig.attempts.fences).toEqual([{ ref: A, code: 'LEASE_LOST' }]);
    expect([...rig.attempts.leases.keys()]).toEqual(['att_00000002@4']);
  });

  it('stops what the welcome says to stop', async () => {
    await runOne();
    rig.plane.verdictFor = (item) => ({
      attemptId: item.attemptId,
      epoch: item.epoch,
      verdict: 'stop',
      code: 'ATTEMPT_TERMINAL',
    });
    rig.wire.cut();
    await rig.clock.advance(2_000);
    expect(rig.attempts.fences).toEqual([{ ref: A, code: 'ATTEMPT_TERMINAL' }]);
  });

  it('kills nothing when another process took the session over, and tries again late', async () => {
    await runOne();
    rig.plane.say({ type: 'fence', ...A, code: 'STALE_SESSION', currentEpoch: 1 });
    await rig.clock.advance(1);
    expect(rig.attempts.fences).toEqual([]);
    expect(rig.plane.isConnected).toBe(false);
    await rig.clock.advance(RECONNECT_CAP_MS);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('reports a revoked runner', async () => {
    await runOne();
    rig.plane.say({ type: 'fence', ...A, code: 'RUNNER_REVOKED', currentEpoch: null });
    await rig.clock.advance(1);
    expect(rig.state.revoked).toBe(1);
  });
});

describe('a final error', () => {
  it('ends only the attempt whose events can never be stored', async () => {
    await runOne();
    const error = {
      type: 'error',
      message: 'm',
      retryable: false,
      attemptId: A.attemptId,
    } as const;
    rig.plane.say({ ...error, code: 'SOMETHING' }, { ...error, code: 'EVENT_INVALID' });
    await rig.clock.advance(1);
    expect(rig.attempts.refusals).toEqual([A.attemptId]);
    expect(rig.plane.isConnected).toBe(true);
  });
});

describe('orders and calls', () => {
  it('hands on orders from their own messages and from renewed alike', async () => {
    await runOne();
    rig.plane.say({ type: 'cancel', ...A, reason: 'abort', graceMs: 10 });
    rig.plane.say({ type: 'steer', ...A, steer: { messageId: 'm1', text: 'faster' } });
    rig.plane.say({
      type: 'renewed',
      ref: 'unknown',
      ttlMs: 1,
      verdicts: [
        {
          ...A,
          verdict: 'keep',
          ackedSeq: 0,
          answers: [{ requestId: 'r1', answers: { q: ['yes'] } }],
        },
      ],
    });
    await rig.clock.advance(1);
    expect(rig.attempts.kept).toMatchObject([
      { cancel: { reason: 'abort', graceMs: 10 } },
      { steers: [{ messageId: 'm1' }] },
      { answers: [{ requestId: 'r1' }] },
    ]);
    expect(rig.attempts.expired).toBe(0);
  });

  it('answers calls, with an error for what it does not know', async () => {
    rig.plane.say(
      { type: 'call', callId: 'c1', method: 'echo', params: { a: 1 }, timeoutMs: 1_000 },
      { type: 'call', callId: 'c2', method: 'none', params: {}, timeoutMs: 1_000 },
    );
    await rig.clock.advance(1);
    expect(rig.plane.all('result')).toMatchObject([
      { callId: 'c1', ok: true, value: { a: 1 } },
      { callId: 'c2', ok: false, error: { message: 'no such method' } },
    ]);
  });

  it('asks, and is told when nobody answers or the session ends', async () => {
    const params = { branch: 'b', commitSha: 'c', repositoryUrl: 'file:///r' };
    await expect(rig.calls.call('push.permit', params, 1_000, A)).resolves.toEqual({
      allowed: true,
    });
    rig.plane.mischief.mute = true;
    const ask = (timeoutMs: number) =>
      rig.calls.call('push.permit', params, timeoutMs, A).catch((error: CallError) => error.code);
    const late = ask(1_000);
    await rig.clock.advance(1_100);
    expect(await late).toBe('timeout');
    const cut = ask(60_000);
    rig.wire.cut();
    await rig.clock.advance(1);
    expect(await cut).toBe('disconnected');
  });
});

describe('the socket', () => {
  it('is given up after 25 s of silence and opened again', async () => {
    rig.plane.mischief.noPong = true;
    await rig.clock.advance(31_000);
    rig.plane.mischief.noPong = false;
    await rig.clock.advance(2_000);
    expect(rig.wire.dials).toBe(2);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('is tried for ever, at most once per window', async () => {
    rig.wire.refuse = true;
    rig.wire.cut();
    await rig.clock.advance(10 * 60_000);
    expect(rig.wire.dials).toBeLessThan(30);
    rig.wire.refuse = false;
    await rig.clock.advance(61_000);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('is opened anew when the control plane says goaway', async () => {
    rig.plane.say({ type: 'goaway', reason: 'deploy', afterMs: 1_000 });
    await rig.clock.advance(3_000);
    expect(rig.wire.dials).toBe(2);
    expect(rig.plane.all('hello')).toHaveLength(2);
  });
});
