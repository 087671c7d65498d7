import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import { workInProgressRef } from '@switchyard/shared/protocol/work-in-progress-ref';
import { describe, expect, it } from 'vitest';
import { publishBranch } from '../calls/publish-branch.ts';
import type { Finish } from '../connection/journal/journal.ts';
import { createWorkspacePort } from '../workspace/workspace-port.ts';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { edit, finished, offer, payloads, until } = rig;

const BRANCH = 'switchyard/sy-1-fix-it';
const remote = (...args: string[]): string =>
  rig.world.fixture.git(rig.world.fixture.remotePath, ...args).trim();

/** An agent that changes a file and says that it is done. */
function work(): void {
  rig.world.engine.script = async (turn) => {
    await edit();
    turn.message('Fixed.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };
}
const turns = (): number =>
  rig.world.engine.sessions.reduce((sum, session) => sum + session.turns.length, 0);

const HIDDEN = workInProgressRef('SY-1');
/** What the control plane asks for when it repeats a delivery. */
function publish(
  { delivery }: Finish,
  { isDelivered = true } = {},
): Promise<CallValue<'branch.publish'>> {
  if (delivery === undefined) throw new Error('nothing was kept');
  const { branch, commitSha, baseBranch } = delivery;
  return publishBranch(createWorkspacePort(rig.world.fixture.workspaces), {
    repository: { url: rig.world.fixture.source.url },
    ref: HIDDEN,
    isDelivered,
    branch,
    commitSha,
    baseBranch,
  });
}

/** Waits until the agent's work is kept and the control plane is asked whether it may be pushed. */
async function askedForPermit(): Promise<void> {
  const isAsked = () => rig.world.plane.all('call').some(({ params }) => isPush(params));
  await until('the permit to push', isAsked);
}
const isPush = (params: unknown): boolean =>
  typeof params === 'object' && params !== null && 'branch' in params && params.branch === BRANCH;

/** A control plane that does not answer whether the branch may be pushed. */
function holdPermits(): () => void {
  const { plane } = rig.world;
  const say = plane.say.bind(plane);
  plane.say = (...messages) =>
    say(...messages.filter((message) => message.type !== 'result' || !isHeld(message.callId)));
  const isHeld = (callId: string): boolean =>
    plane.all('call').some((call) => call.callId === callId && isPush(call.params));
  return () => (plane.say = say);
}

describe('work whose push fails', { timeout: 60_000 }, () => {
  it('and may pass is told as done and kept, and can be pushed later', async () => {
    const lock = join(rig.world.fixture.remotePath, 'refs/heads', `${BRANCH}.lock`);
    rig.world.engine.script = async (turn) => {
      await edit();
      remote('update-ref', 'refs/heads/switchyard/other', 'main');
      await writeFile(lock, '');
      turn.message('Fixed.\n\nSWITCHYARD_STATUS: DONE');
      turn.end();
    };
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'completed',
      marker: 'DONE',
      delivery: { branch: BRANCH, baseBranch: 'main', pushed: false },
      message: expect.stringContaining('File exists') as string,
    });
    expect(finish.failureKind).toBeUndefined();
    expect(payloads('notice')).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('not pushed yet') as string }),
    );
    await rm(lock);
    expect(await publish(finish)).toEqual({ pushed: true, baseBranch: 'main', baseIsGone: false });
    expect(remote('rev-parse', BRANCH)).toBe(finish.delivery?.commitSha);
    expect(await publish(finish)).toMatchObject({ pushed: false });
    expect(turns()).toBe(1);
  });

  it('has its hidden ref removed with the delivery, and only then', async () => {
    const lock = join(rig.world.fixture.remotePath, 'refs/heads', `${BRANCH}.lock`);
    rig.world.engine.script = async (turn) => {
      await edit();
      remote('update-ref', 'refs/heads/switchyard/other', 'main');
      await writeFile(lock, '');
      turn.message('Fixed.\n\nSWITCHYARD_STATUS: DONE');
      turn.end();
    };
    offer({ checkpoints: { pushWorkInProgress: true, uploadSession: false } });
    const finish = await finished();
    expect(payloads('checkpoint').at(-1)).toMatchObject({
      trigger: 'delivering',
      summary: 'Fixed.',
    });
    const { commitSha } = finish.delivery ?? {};
    expect(remote('rev-parse', HIDDEN)).toBe(commitSha);
    await rm(lock);
    await publish(finish, { isDelivered: false });
    expect(remote('rev-parse', HIDDEN)).toBe(commitSha);
    await publish(finish);
    expect(remote('for-each-ref', HIDDEN)).toBe('');
  });

  it('leaves a hidden ref alone that holds more than was delivered', async () => {
    remote('config', 'receive.maxInputSize', '1');
    work();
    offer();
    const finish = await finished();
    remote('config', '--unset', 'receive.maxInputSize');
    const more = remote('commit-tree', '-m', 'more', '-p', 'main', 'main^{tree}');
    remote('update-ref', HIDDEN, more);
    await publish(finish);
    expect(remote('rev-parse', HIDDEN)).toBe(more);
  });

  it('because a rule of the remote forbids it is kept, with the words of the remote', async () => {
    remote('config', 'receive.maxInputSize', '1');
    work();
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      delivery: { branch: BRANCH, pushed: false },
      message: expect.stringContaining('exceeds maximum allowed size') as string,
    });
    remote('config', '--unset', 'receive.maxInputSize');
    await publish(finish);
    expect(remote('rev-parse', BRANCH)).toBe(finish.delivery?.commitSha);
  });

  it('because the repository is gone waits for a person', async () => {
    const { remotePath } = rig.world.fixture;
    rig.world.engine.script = async (turn) => {
      await edit();
      await rename(remotePath, `${remotePath}.away`);
      turn.message('SWITCHYARD_STATUS: DONE');
      turn.end();
    };
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({ failureKind: 'delivery_refused', delivery: { pushed: false } });
    await rename(`${remotePath}.away`, remotePath);
    expect(await publish(finish)).toMatchObject({ pushed: true });
  });
});

describe('a base branch that is gone when the work is done', { timeout: 60_000 }, () => {
  function renameBase(): void {
    rig.world.engine.script = async (turn) => {
      await edit();
      remote('branch', '-m', 'main', 'trunk');
      remote('symbolic-ref', 'HEAD', 'refs/heads/trunk');
      turn.message('SWITCHYARD_STATUS: DONE');
      turn.end();
    };
  }

  it('is read anew', async () => {
    renameBase();
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'completed',
      delivery: { branch: BRANCH, baseBranch: 'trunk', pushed: true },
    });
    expect(remote('rev-parse', BRANCH)).toBe(finish.delivery?.commitSha);
  });

  it('waits for a person where the route configures it', async () => {
    renameBase();
    offer({ repository: { url: rig.world.fixture.source.url, defaultBranch: 'main' } });
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      message: expect.stringContaining('the remote has no branch main') as string,
      delivery: { branch: BRANCH },
    });
  });
});

describe('unfinished work that is not in order', { timeout: 60_000 }, () => {
  it('is saved with what is wrong with it, for whoever publishes it', async () => {
    rig.world.engine.script = async (turn) => {
      const markers = ['<<<<<<< ours', 'a', '=======', 'b', '>>>>>>> theirs', ''].join('\n');
      await writeFile(join(rig.workspace(), 'total.txt'), markers);
      turn.message('I need a key.\n\nSWITCHYARD_STATUS: BLOCKED');
      turn.end();
    };
    offer({ checkpoints: { pushWorkInProgress: true, uploadSession: false } });
    expect(await finished()).toMatchObject({ marker: 'BLOCKED' });
    expect(payloads('checkpoint').at(-1)).toMatchObject({
      problems: [expect.stringMatching(/^total\.txt:1 .*conflict/) as string],
    });
  });
});

describe('an agent that was done is not started again', { timeout: 60_000 }, () => {
  const STILL_TO_PUSH = {
    outcome: 'completed',
    marker: 'DONE',
    summary: expect.stringContaining('Fixed.') as string,
    delivery: { branch: BRANCH, baseBranch: 'main', pushed: false },
  } as const;

  it('when the runner is killed while it delivers', async () => {
    holdPermits();
    work();
    offer();
    await askedForPermit();
    await rig.restart();
    const finish = await finished();
    expect(finish).toMatchObject(STILL_TO_PUSH);
    expect(rig.world.containers.started).toHaveLength(1);
    expect(await publish(finish)).toMatchObject({ pushed: true });
    expect(turns()).toBe(1);
  });

  it('when the runner stops in good order while it delivers', async () => {
    holdPermits();
    work();
    offer();
    await askedForPermit();
    rig.runner.host.releaseAll('the runner stops');
    expect(await finished()).toMatchObject(STILL_TO_PUSH);
    expect(rig.world.plane.all('released')).toEqual([]);
  });

  it('when its lease ends while it delivers', async () => {
    const letPermits = holdPermits();
    work();
    offer();
    await askedForPermit();
    rig.world.plane.mischief.mute = true;
    await rig.world.clock.advance(120_000);
    rig.world.plane.mischief.mute = false;
    letPermits();
    await rig.restart();
    expect(await finished()).toMatchObject(STILL_TO_PUSH);
    expect(turns()).toBe(1);
  });

  it('when the delivery takes longer than an attempt may', async () => {
    holdPermits();
    work();
    offer({ limits: { ...limits, agentStallMs: 600_000 } });
    await askedForPermit();
    await rig.world.clock.advance(601_000);
    expect(await finished()).toMatchObject(STILL_TO_PUSH);
  });

  it('when its diff cannot be stored', async () => {
    rig.world.engine.script = async (turn) => {
      await edit();
      rig.world.plane.attemptToken = 'another';
      turn.message('Fixed.\n\nSWITCHYARD_STATUS: DONE');
      turn.end();
    };
    offer();
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', delivery: { pushed: true } });
    expect(finish.delivery?.diffBlob).toBeUndefined();
  });

  it('when it is stopped while it delivers: the control plane knows who wished that', async () => {
    holdPermits();
    work();
    offer();
    await askedForPermit();
    const ref = { attemptId: 'att_00000001', epoch: 1 };
    rig.world.plane.say({ type: 'cancel', ...ref, reason: 'stopped by ada', graceMs: 1_000 });
    expect(await finished()).toMatchObject({
      ...STILL_TO_PUSH,
      message: 'not pushed yet: stopped by ada',
    });
  });

  it('when the control plane does not permit the push', async () => {
    rig.world.plane.permit = { allowed: false, reason: 'the lease is lost' };
    work();
    offer();
    expect(await finished()).toMatchObject({
      ...STILL_TO_PUSH,
      message: expect.stringContaining('the lease is lost') as string,
    });
  });
});
