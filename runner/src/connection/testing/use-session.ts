import { afterEach, beforeEach, expect } from 'vitest';
import { CallTable } from '../calls.ts';
import { Lease } from '../lease.ts';
import { LeaseAsker } from '../lease-asker.ts';
import { ControlSession } from '../control-session.ts';
import { ControlSocket } from '../socket/control-socket.ts';
import { LiveSocket } from '../socket/live-socket.ts';
import { Spool } from '../journal/spool.ts';
import { testSpec } from './attempt-spec.ts';
import { FakeAttempts } from './fake-attempts.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import { INTRODUCTION } from './introduction.ts';
import { MemorySocket } from './memory-socket.ts';

/** The attempt that tests speak of. */
export const ATTEMPT = { attemptId: 'att_00000001', epoch: 1 };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

type SessionRig = ReturnType<typeof makeRig>;

/** A session on a fake control plane, made anew for each test of a file. */
export function useSession(): SessionRig {
  const rig = {} as SessionRig;
  beforeEach(async () => {
    Object.assign(rig, makeRig());
    await rig.clock.advance(1);
  });
  afterEach(async () => {
    await rig.stop();
    expect(rig.wire.trouble).toBeNull();
  });
  return rig;
}

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
  const state = { revoked: 0, introduction: INTRODUCTION };
  const renewed = () => undefined;
  const leases = new LeaseAsker({ attempts, lease, clock, random: () => 0.5, renewed });
  const session = new ControlSession({
    owner: {
      introduction: () => state.introduction,
      welcomed: () => undefined,
      revoked: () => (state.revoked += 1),
    },
    attempts,
    leases,
    calls,
    openSocket: (channel) => new LiveSocket(channel, { attempts, clock, spool }),
    log: silent,
  });
  const socket = new ControlSocket({
    dial: wire.dial,
    clock,
    log: silent,
    owner: session,
    random: () => 0.5,
  });
  const stopping = new AbortController();
  const running = socket.run(stopping.signal);
  const emit = async (count: number, ref = ATTEMPT) => {
    for (let at = 0; at < count; at += 1)
      await spool.append(ref, 'log', { source: 'runner', text: `line ${at}` }, 0);
  };
  const stop = async () => {
    stopping.abort();
    await clock.advance(1);
    await running;
    spool.close();
  };
  const offer = (ref = ATTEMPT) =>
    plane.say({
      type: 'offer',
      ...ref,
      expiresInMs: 15_000,
      spec: testSpec({ attemptId: ref.attemptId }),
    });
  const runOne = async () => {
    offer();
    await clock.advance(1);
  };
  return { clock, plane, wire, spool, attempts, calls, session, state, emit, offer, runOne, stop };
}
