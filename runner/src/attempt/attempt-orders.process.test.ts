import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { container, finished, hang, offer, payloads, stored, turn, until } = rig;

describe('orders', { timeout: 60_000 }, () => {
  it('cancels: interrupts, stops with the grace, and says so after the end', async () => {
    hang();
    offer();
    await turn();
    const engine = await container();
    engine.stuck = true;
    rig.world.plane.say({
      type: 'cancel',
      attemptId: 'att_00000001',
      epoch: 1,
      reason: 'asked to',
      graceMs: 700,
    });
    await rig.world.clock.advance(4_000);
    expect(rig.world.plane.finished.size).toBe(0);
    engine.stuck = false;
    expect(await finished()).toMatchObject({ outcome: 'cancelled', message: 'asked to' });
    expect(engine.graces).toEqual([700]);
    expect(rig.world.engine.sessions[0]?.interrupts).toBe(1);
  });

  it('do not wait for the time limit of a hook', async () => {
    const started = join(rig.world.fixture.folder, 'started');
    offer({
      hooks: { beforeRun: `touch ${started}; sleep 300` },
      limits: { ...limits, hookMs: 600_000 },
    });
    await until('the hook', () => existsSync(started));
    const order = { attemptId: 'att_00000001', epoch: 1, reason: 'asked to', graceMs: 1_000 };
    rig.world.plane.say({ type: 'cancel', ...order });
    expect(await finished()).toMatchObject({ outcome: 'cancelled', message: 'asked to' });
  });

  it('steers once, however often it is told', async () => {
    hang();
    offer();
    const one = await turn();
    const steer = { messageId: 'm1', text: 'use tabs' };
    for (let at = 0; at < 3; at += 1) {
      rig.world.plane.say({ type: 'steer', attemptId: 'att_00000001', epoch: 1, steer });
      await rig.world.clock.advance(10);
    }
    expect(one.session.steers).toEqual([{ text: 'use tabs', clientMessageId: 'm1' }]);
    await until('the echo', () => payloads('item').some(({ itemId }) => itemId === 'm1'));
  });

  it('gives words that the engine takes only between turns with the next turn, once', async () => {
    hang();
    offer();
    const one = await turn();
    one.session.queuesMessage = true;
    const steer = { messageId: 'm1', text: 'use tabs' };
    const say = async () => {
      rig.world.plane.say({ type: 'steer', attemptId: 'att_00000001', epoch: 1, steer });
      await rig.world.clock.advance(10);
    };
    await say();
    await say();
    await until('word of the wait', () =>
      payloads('notice').some(({ message }) => String(message).includes('with its next one')),
    );
    expect(one.session.steers).toHaveLength(1);
    expect(payloads('item').some(({ itemId }) => itemId === 'm1')).toBe(false);
    one.message('All good.\n\nSWITCHYARD_STATUS: DONE');
    one.end();
    const two = await until('the next turn', () => one.session.turns[1]);
    expect(two.input.text).toContain('use tabs');
    await until('the echo', () => payloads('item').some(({ itemId }) => itemId === 'm1'));
    await say();
    expect(one.session.steers).toHaveLength(1);
  });

  it('lets a question go without an answer after its limit', async () => {
    hang();
    offer({ limits: { ...limits, requestMs: 30_000 } });
    const one = await turn();
    one.say({ kind: 'request', requestId: 'r1', turnId: 'turn1', questions: [] });
    await until('the request', () => stored('request').length === 1);
    await rig.world.clock.advance(30_100);
    expect(one.session.answers).toEqual([{ requestId: 'r1', answers: {} }]);
  });

  it('a fence ends the container and says nothing more', async () => {
    hang();
    offer();
    await turn();
    rig.world.plane.say({
      type: 'fence',
      attemptId: 'att_00000001',
      epoch: 1,
      code: 'LEASE_LOST',
      currentEpoch: 2,
    });
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    expect((await container()).removed).toBe(true);
    expect(rig.world.plane.all('finish')).toEqual([]);
    expect(rig.world.plane.all('released')).toEqual([]);
  });

  it('a lease that is not renewed ends the container before the control plane may move the work', async () => {
    hang();
    offer();
    await turn();
    rig.runner.wire.refuse = true;
    rig.runner.wire.cut();
    await rig.world.clock.advance(60_000);
    expect((await container()).removed).toBe(false);
    await rig.world.clock.advance(17_000);
    expect((await container()).removed).toBe(true);
    await until('the end', () => rig.runner.host.isIdle());
    rig.runner.wire.refuse = false;
    await rig.world.clock.advance(61_000);
    expect(rig.world.plane.last('hello')?.held).toEqual([]);
  });

  it('a lease that was only accepted waits for its grant, also past the end of the former lease', async () => {
    rig.world.plane.mischief.noGrant = true;
    offer();
    await until('accept', () => rig.world.plane.last('accept'));
    await rig.world.clock.advance(20_000);
    rig.runner.wire.refuse = true;
    rig.runner.wire.cut();
    await rig.world.clock.advance(90_000);
    expect(rig.runner.host.held()).toMatchObject([{ phase: 'accepted' }]);
    rig.world.plane.mischief.noGrant = false;
    rig.runner.wire.refuse = false;
    expect(await finished()).toMatchObject({ attemptId: 'att_00000001', epoch: 1 });
    expect(rig.world.plane.all('released')).toEqual([]);
  });

  it('gives its lease back when the runner is to stop', async () => {
    hang();
    offer();
    await turn();
    rig.runner.host.releaseAll('stopping');
    const released = await until('released', () => rig.world.plane.last('released'));
    expect(released).toMatchObject({
      attemptId: 'att_00000001',
      container: 'dead',
      why: 'stopping',
      orderly: true,
    });
    expect(rig.runner.host.isIdle()).toBe(true);
    expect(rig.world.plane.finished.size).toBe(0);
  });
});

describe('a lease whose events are refused', { timeout: 60_000 }, () => {
  it.each(['DIGEST', 'EVENT_INVALID', 'SEQUENCE'])('is given up as lost on %s', async (code) => {
    hang();
    offer();
    await turn();
    const attemptId = 'att_00000001';
    rig.world.plane.say({ type: 'error', code, message: 'never', attemptId, retryable: false });
    const released = await until('released', () => rig.world.plane.last('released'));
    expect(released).toMatchObject({ attemptId, container: 'dead' });
    expect(released.orderly).toBeUndefined();
  });
});
