import { describe, expect, it } from 'vitest';
import { ATTEMPT, useSession } from '../testing/use-session.ts';

const rig = useSession();

describe('events', () => {
  it('arrive once, in order, over a cut in the middle', async () => {
    await rig.runOne();
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
    expect(rig.spool.stream(ATTEMPT)).toMatchObject({ spooledSeq: 30, ackedSeq: 30, bytes: 0 });
  });

  it('go again from the last acknowledged one when a batch was lost', async () => {
    await rig.runOne();
    rig.plane.mischief.loseBatches = 1;
    await rig.emit(200);
    await rig.clock.advance(200);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(200);
  });

  it('go again by and by when the only batch was lost without a word', async () => {
    await rig.runOne();
    rig.plane.mischief.loseBatches = 1;
    await rig.emit(1);
    await rig.clock.advance(40_000);
    expect(rig.plane.stored.get('att_00000001@1')).toHaveLength(1);
  });

  it('stay within the window while nothing is acknowledged', async () => {
    await rig.runOne();
    rig.plane.mischief.noAck = true;
    await rig.emit(600);
    await rig.clock.advance(1_000);
    const sent = rig.plane.all('events').reduce((sum, { items }) => sum + items.length, 0);
    expect(sent).toBe(256);
  });

  it('wait on disk while the socket is slow, and control messages pass them', async () => {
    await rig.runOne();
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
    await rig.runOne();
    rig.plane.mischief.noAck = true;
    await rig.emit(5);
    rig.attempts.finish(ATTEMPT);
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
