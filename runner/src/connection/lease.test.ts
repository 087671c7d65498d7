import { describe, expect, it } from 'vitest';
import { ATTEMPT, useSession } from './testing/use-session.ts';
import { RECONNECT_CAP_MS } from './socket/control-socket.ts';

const rig = useSession();

describe('the lease', () => {
  it('is not renewed while nothing is held', async () => {
    await rig.clock.advance(120_000);
    expect(rig.plane.all('renew')).toHaveLength(0);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('is renewed about every 15 s while something is held', async () => {
    await rig.runOne();
    await rig.clock.advance(61_000);
    expect(rig.plane.all('renew').length).toBeGreaterThanOrEqual(4);
    expect(rig.attempts.expired).toBe(0);
  });

  it('ends 15 s early, counted from when the answered request was sent', async () => {
    await rig.runOne();
    rig.wire.refuse = true;
    rig.wire.cut();
    await rig.clock.advance(74_000);
    expect(rig.attempts.expired).toBe(0);
    await rig.clock.advance(1_100);
    expect(rig.attempts.expired).toBe(1);
  });

  it('is not shortened by a reconnect and not ended by retryable errors', async () => {
    await rig.runOne();
    rig.plane.say({
      type: 'error',
      code: 'DB',
      message: 'busy',
      retryable: true,
      attemptId: ATTEMPT.attemptId,
    });
    await rig.clock.advance(40_000);
    rig.wire.cut();
    await rig.clock.advance(60_000);
    expect(rig.attempts.expired).toBe(0);
    expect(rig.attempts.fences).toEqual([]);
  });

  it('lets go of a fenced attempt only', async () => {
    await rig.runOne();
    rig.offer({ attemptId: 'att_00000002', epoch: 4 });
    await rig.clock.advance(1);
    rig.plane.say({ type: 'fence', ...ATTEMPT, code: 'LEASE_LOST', currentEpoch: 2 });
    await rig.clock.advance(1);
    expect(rig.attempts.fences).toEqual([{ ref: ATTEMPT, code: 'LEASE_LOST' }]);
    expect([...rig.attempts.leases.keys()]).toEqual(['att_00000002@4']);
  });

  it('gives up what waits for a grant when events of it are stored: another copy was granted it', async () => {
    rig.attempts.hold(ATTEMPT);
    rig.plane.verdictFor = ({ attemptId, epoch }) => ({
      attemptId,
      epoch,
      verdict: 'keep',
      ackedSeq: 3,
    });
    await rig.clock.advance(1);
    rig.wire.cut();
    await rig.clock.advance(2_000);
    expect(rig.attempts.fences).toEqual([{ ref: ATTEMPT, code: 'LEASE_LOST' }]);
    expect(rig.plane.all('accept')).toHaveLength(0);
  });

  it('stops what the welcome says to stop', async () => {
    await rig.runOne();
    rig.plane.verdictFor = (item) => ({
      attemptId: item.attemptId,
      epoch: item.epoch,
      verdict: 'stop',
      code: 'ATTEMPT_TERMINAL',
    });
    rig.wire.cut();
    await rig.clock.advance(2_000);
    expect(rig.attempts.fences).toEqual([{ ref: ATTEMPT, code: 'ATTEMPT_TERMINAL' }]);
  });

  it('kills nothing when another process took the session over, and tries again late', async () => {
    await rig.runOne();
    rig.plane.say({ type: 'fence', ...ATTEMPT, code: 'STALE_SESSION', currentEpoch: 1 });
    await rig.clock.advance(1);
    expect(rig.attempts.fences).toEqual([]);
    expect(rig.plane.isConnected).toBe(false);
    await rig.clock.advance(RECONNECT_CAP_MS);
    expect(rig.plane.isConnected).toBe(true);
  });

  it('reports a revoked runner', async () => {
    await rig.runOne();
    rig.plane.say({ type: 'fence', ...ATTEMPT, code: 'RUNNER_REVOKED', currentEpoch: null });
    await rig.clock.advance(1);
    expect(rig.state.revoked).toBe(1);
  });
});
