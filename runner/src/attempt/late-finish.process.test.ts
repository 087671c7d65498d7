import { rm } from 'node:fs/promises';
import { LATE_FINISH_FEATURE } from '@switchyard/shared/protocol/features';
import { describe, expect, it } from 'vitest';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { edit, finished, hang, offer, stored, turn, until } = rig;

const KEY = 'att_00000001@1';
const DONE = 'Fixed.\n\nSWITCHYARD_STATUS: DONE';
const turns = (): number =>
  rig.world.engine.sessions.reduce((sum, session) => sum + session.turns.length, 0);
const hasSnapshot = () => rig.world.blobs.size > 0;
const askedToPush = () => rig.world.plane.all('call').length > 0;

/** The runner is cut off, and its agent ends so many milliseconds later. */
async function endsCutOff(afterMs: number, text = DONE): Promise<void> {
  hang();
  // Its hidden ref is pushed under a permit, which nobody answers then.
  offer({ checkpoints: { pushWorkInProgress: true, uploadSession: false } });
  const one = await turn();
  rig.world.plane.mischief.mute = true;
  await rig.world.clock.advance(afterMs);
  if (text === DONE) await edit();
  one.message(text);
  one.end();
  await until('its end', () => rig.runner.journal.list()[0]?.progress.turnOpen === false);
}

/** Its lease is over by now, and the control plane has queued the attempt again. */
async function isBack(features = [LATE_FINISH_FEATURE]): Promise<void> {
  const { plane, clock } = rig.world;
  await clock.advance(120_000);
  plane.lost.add(KEY);
  plane.features = features;
  plane.mischief.mute = false;
  rig.runner.wire.cut();
}

describe('a runner that was cut off for longer than its lease', { timeout: 60_000 }, () => {
  it.each([
    ['had time to come to its delivery', 1_000],
    ['was still saving its work when the lease ended', 40_000],
  ])('tells the work of an agent that was done and %s', async (_what, afterMs) => {
    await endsCutOff(afterMs);
    await until('the snapshot', () => hasSnapshot() && askedToPush());
    await isBack();
    expect(await finished()).toMatchObject({
      outcome: 'completed',
      marker: 'DONE',
      summary: 'Fixed.',
      delivery: { branch: 'switchyard/sy-1-fix-it', baseBranch: 'main', pushed: false },
    });
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    expect(turns()).toBe(1);
  });

  it('tells what an agent said that is blocked', async () => {
    await endsCutOff(1_000, 'I need a key.\n\nSWITCHYARD_STATUS: BLOCKED');
    await isBack();
    expect(await finished()).toMatchObject({ outcome: 'completed', marker: 'BLOCKED' });
  });

  it('tells it when it hears of the loss before its own clock has run out', async () => {
    await endsCutOff(1_000);
    await until('the snapshot', () => hasSnapshot() && askedToPush());
    const { plane } = rig.world;
    plane.lost.add(KEY);
    plane.features = [LATE_FINISH_FEATURE];
    plane.mischief.mute = false;
    rig.runner.wire.cut();
    expect(await finished()).toMatchObject({ marker: 'DONE', delivery: { pushed: false } });
  });

  it('lets it go where the control plane takes no late end', async () => {
    await endsCutOff(1_000);
    await until('the snapshot', () => hasSnapshot() && askedToPush());
    await isBack([]);
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    expect(rig.world.plane.finished.size).toBe(0);
  });

  it('says nothing of a turn that had not ended', async () => {
    hang();
    offer();
    await turn();
    rig.world.plane.mischief.mute = true;
    await isBack();
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    expect(rig.world.plane.finished.size).toBe(0);
  });
});

describe('a runner that is stopped after a turn', { timeout: 60_000 }, () => {
  it('does not tell an end that passes over words which the agent has yet to hear', async () => {
    const { plane } = rig.world;
    hang();
    offer({ checkpoints: { pushWorkInProgress: true, uploadSession: false } });
    const one = await turn();
    one.session.queuesMessage = true;
    const steer = { messageId: 'c-1', text: 'Do it otherwise.' };
    plane.say({ type: 'steer', attemptId: 'att_00000001', epoch: 1, steer });
    await until('the words to wait', () => stored('notice').length > 0);
    plane.mischief.mute = true;
    await edit();
    one.message(DONE);
    one.end();
    await until('the snapshot', () => hasSnapshot() && askedToPush());
    rig.runner.host.releaseAll('the runner was stopped');
    await isBack();
    await until('the lease to go', () => rig.runner.host.held().length === 0);
    expect(plane.all('finish')).toEqual([]);
  });
});

describe('a runner that is killed between the last turn and the delivery', () => {
  it('asks the agent for no further turn', { timeout: 60_000 }, async () => {
    hang();
    offer();
    const one = await turn();
    rig.world.plane.mischief.mute = true;
    await edit();
    one.message(DONE);
    one.end();
    await until('its end', () => rig.runner.journal.list()[0]?.progress.turnOpen === false);
    rig.world.plane.mischief.mute = false;
    await rig.restart();
    expect(await finished()).toMatchObject({
      marker: 'DONE',
      delivery: expect.anything() as unknown,
    });
    expect(turns()).toBe(1);
  });
});

describe('an agent that was told what to put right', { timeout: 60_000 }, () => {
  it('has said its last word only when it says so again, whatever process hears it', async () => {
    const inner = () => `${rig.workspace()}/inner`;
    rig.world.engine.script = async (one) => {
      if (one.number === 2) return;
      await rig.world.fixture.write(`${inner()}/x`, 'x\n');
      rig.world.fixture.git(inner(), 'init', '-q');
      one.message(DONE);
      one.end();
    };
    offer();
    await turn(2);
    await rig.restart();
    const adopted = await until('the adoption', () => rig.world.engine.sessions[1]);
    await rm(inner(), { recursive: true });
    await edit();
    rig.world.engine.script = (one) => {
      one.message(DONE);
      one.end();
    };
    adopted.push({ kind: 'turn_ended', turnId: 'turn2', status: 'completed' });
    expect(await finished()).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(adopted.turns).toHaveLength(1);
  });
});

describe('an agent that leaves what it was told to put right', () => {
  it('is told three times, whatever processes follow each other', { timeout: 60_000 }, async () => {
    const work = async () => {
      await rig.world.fixture.write(`${rig.workspace()}/inner/x`, 'x\n');
      rig.world.fixture.git(`${rig.workspace()}/inner`, 'init', '-q');
    };
    rig.world.engine.script = async (one) => {
      if (one.number === 3) return;
      await work();
      one.message(DONE);
      one.end();
    };
    offer({ limits: { ...limits, maxTurns: 12 } });
    await turn(3);
    await rig.restart();
    const adopted = await until('the adoption', () => rig.world.engine.sessions[1]);
    rig.world.engine.script = (one) => {
      one.message(DONE);
      one.end();
    };
    adopted.push({ kind: 'item_ended', itemId: 'm', item: { type: 'message', text: DONE } });
    adopted.push({ kind: 'turn_ended', turnId: 'turn3', status: 'completed' });
    expect(await finished()).toMatchObject({ failureKind: 'delivery_refused' });
    expect(stored('turn').length).toBeGreaterThan(0);
    expect(adopted.turns).toHaveLength(1);
  });
});
