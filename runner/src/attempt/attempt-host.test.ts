import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { totals } from './testing/fake-engine.ts';
import type { FakeTurn } from './testing/fake-engine.ts';
import type { HostWorld } from './testing/host-rig.ts';
import { makeWorld, offerTo, startHost, waitFor } from './testing/host-rig.ts';

const KEY = 'att_00000001@1';
let world: HostWorld;
let runner: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  world = await makeWorld();
  runner = await startHost(world);
});
afterEach(async () => {
  await runner.kill();
  expect(runner.wire.trouble).toBeNull();
  await world.fixture.dispose();
});

const finished = () => waitFor(world, 'finish', () => world.plane.finished.get(KEY));
const stored = (kind: string) =>
  (world.plane.stored.get(KEY) ?? []).filter((item) => item.kind === kind);
const payloads = (kind: string) => stored(kind).map((item) => item.payload);
const container = () => waitFor(world, 'container', () => world.containers.started.at(-1));
const turn = (number = 1) =>
  waitFor(world, `turn ${number}`, () =>
    world.engine.sessions.at(-1)?.turns.find((one) => one.number === number),
  );
const edit = (name = 'new.txt') =>
  writeFile(join(world.fixture.workspaces.paths.workspaces, 'SY-1', name), 'new\n');
const limits = {
  ...{
    maxTurns: 3,
    turnStallMs: 0,
    agentStallMs: 0,
    attemptMs: 0,
    requestMs: 60_000,
    hookMs: 10_000,
  },
};
/** A turn that goes on until the test ends it. */
const hang = () => {
  world.engine.script = () => undefined;
};

describe('an attempt that succeeds', { timeout: 60_000 }, () => {
  it('pushes what the agent did and says all about it', async () => {
    world.plane.sealedSecrets = JSON.stringify({ providerApiKey: 'sk-secret' });
    world.engine.script = async (one: FakeTurn) => {
      await edit();
      one.say({ kind: 'stats', totals, contextWindow: 1000 });
      one.message('I fixed it.\n\nSWITCHYARD_STATUS: DONE\n');
      one.end();
    };
    offerTo(world);
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'completed',
      marker: 'DONE',
      summary: 'I fixed it.',
      usage: totals,
    });
    expect(finish.delivery).toMatchObject({
      baseBranch: 'main',
      diffStat: { files: 1, insertions: 1 },
    });
    const { branch = '', commitSha } = finish.delivery ?? {};
    expect(world.fixture.git(world.fixture.remotePath, 'rev-parse', branch).trim()).toBe(commitSha);
    expect(world.blobs.get(finish.delivery?.diffBlob ?? '')).toContain('new.txt');
    expect(payloads('phase').map(({ phase }) => phase)).toEqual([
      'workspace',
      'starting',
      'streaming',
      'delivering',
    ]);
    expect(payloads('container').map(({ state }) => state)).toEqual(['started', 'exited']);
    expect(payloads('thread')).toMatchObject([{ threadId: 'thread-1', resumed: false }]);
    expect(world.grants).toEqual([{ attemptId: 'att_00000001', apiKey: 'sk-secret' }]);
    expect(JSON.stringify(world.plane.received)).not.toContain('sk-secret');
    expect(world.plane.last('call')).toMatchObject({
      method: 'push.permit',
      attemptId: 'att_00000001',
      epoch: 1,
    });
  });

  it('leaves its workspace and nothing else', async () => {
    offerTo(world);
    await finished();
    await waitFor(world, 'the lease to go', () => runner.host.held().length === 0);
    expect((await container()).removed).toBe(true);
    expect(world.revoked).toEqual(['att_00000001']);
    const data = join(world.fixture.folder, 'data');
    expect(await readdir(join(data, 'homes'))).toEqual([]);
    expect(await readdir(join(data, 'sessions'))).toEqual(['SY-1']);
    expect(existsSync(join(world.fixture.workspaces.paths.workspaces, 'SY-1'))).toBe(true);
  });

  it('without a difference delivers nothing', async () => {
    offerTo(world);
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(finish.delivery).toBeUndefined();
    expect(world.plane.all('call')).toEqual([]);
  });

  it('that may only read commits and pushes nothing, whatever its agent wrote', async () => {
    world.engine.script = async (one: FakeTurn) => {
      await edit();
      one.message('# All is well\n\nSWITCHYARD_STATUS: DONE');
      one.end();
    };
    offerTo(world, { readOnly: true });
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', summary: '# All is well' });
    expect(finish.delivery).toBeUndefined();
    expect(payloads('snapshot')).toEqual([]);
    expect(world.plane.all('call')).toEqual([]);
    const [workspace] = world.containers.specs.at(-1)?.mounts ?? [];
    expect(workspace?.readOnly).toBe(true);
  });

  it('goes on with guidance until there is a marker', async () => {
    world.engine.script = (one) => {
      one.message(one.number < 3 ? 'not yet' : 'SYMPHONY_STATUS: DONE');
      one.end();
    };
    offerTo(world);
    expect(await finished()).toMatchObject({ marker: 'DONE', summary: 'not yet' });
    const texts = world.engine.sessions[0]?.turns.map(({ input }) => input.text) ?? [];
    expect(texts[0]).toBe('Fix it.');
    expect(texts[1]).toContain('turn 2 of 3');
    expect(texts).toHaveLength(3);
  });

  it('ends without a marker after its last turn, work kept and not delivered', async () => {
    world.engine.script = async (one) => {
      await edit();
      one.message('SWITCHYARD_STATUS: DONE is what I will say later');
      one.end();
    };
    offerTo(world);
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', marker: null });
    expect(finish.delivery).toBeUndefined();
    expect(stored('turn')).toHaveLength(6);
    expect(payloads('snapshot')).toMatchObject([{ diffStat: { files: 1 } }]);
  });

  it('that is blocked delivers nothing', async () => {
    world.engine.script = async (one) => {
      await edit();
      one.message('I need a key.\nSWITCHYARD_STATUS: BLOCKED');
      one.end();
    };
    offerTo(world);
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'completed',
      marker: 'BLOCKED',
      summary: 'I need a key.',
    });
    expect(finish.delivery).toBeUndefined();
  });

  it('resumes a stored thread with the continuation prompt', async () => {
    offerTo(world, { resumeThreadId: 'thread-9' });
    await finished();
    const session = world.engine.sessions[0];
    expect(session?.resumed).toBe('thread-9');
    expect(session?.turns[0]?.input.text).toBe('Go on.');
  });

  it('runs its hooks and shows what they printed', async () => {
    offerTo(world, {
      hooks: {
        afterCreate: 'echo created',
        beforeRun: 'echo before $SWITCHYARD_ISSUE',
        afterRun: 'echo after; exit 3',
      },
    });
    await finished();
    const hooks = payloads('log').filter(({ source }) => source === 'hook');
    expect(hooks.map(({ text }) => text)).toEqual([
      'after_create: created',
      'before_run: before SY-1',
      'after_run: ended with exit code 3 after',
    ]);
  });
});

describe('an attempt that fails', { timeout: 60_000 }, () => {
  it('says what git said about a repository that is not there', async () => {
    offerTo(world, { repository: { url: 'file:///nowhere/at/all' } });
    expect(await finished()).toMatchObject({ outcome: 'failed', failureKind: 'workspace_error' });
    expect(world.containers.started).toHaveLength(0);
  });

  it('says which hook failed', async () => {
    offerTo(world, { hooks: { beforeRun: 'echo no such tool >&2; exit 7' } });
    const { message, failureKind } = await finished();
    expect(failureKind).toBe('workspace_error');
    expect(message).toContain('exit code 7');
    expect(message).toContain('no such tool');
  });

  it('passes a provider limit on with its reset time', async () => {
    world.engine.script = (one) =>
      one.end('failed', { kind: 'usage_limited', message: 'limit', resetAtMs: 5 });
    offerTo(world);
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind: 'usage_limited',
      resetAtMs: 5,
    });
  });

  it('tells an engine that died from one that ran out of memory', async () => {
    hang();
    offerTo(world);
    await turn();
    const engine = await container();
    engine.stderr = 'panicked at main.rs';
    engine.exit({ exitCode: 0, signal: null, oom: false });
    const { outcome, failureKind, message } = await finished();
    expect({ outcome, failureKind }).toEqual({ outcome: 'failed', failureKind: 'agent_error' });
    expect(message).toContain('panicked at main.rs');
  });

  it('ends as oom when the container ran out of memory', async () => {
    hang();
    offerTo(world);
    await turn();
    (await container()).exit({ exitCode: 137, signal: null, oom: true });
    expect(await finished()).toMatchObject({ outcome: 'oom', failureKind: 'container_oom' });
  });

  it('is a delivery error when the control plane does not permit the push', async () => {
    world.plane.permit = { allowed: false, reason: 'branch is taken' };
    world.engine.script = async (one) => {
      await edit();
      one.message('SWITCHYARD_STATUS: DONE');
      one.end();
    };
    offerTo(world);
    expect(await finished()).toMatchObject({
      failureKind: 'delivery_error',
      message: expect.stringContaining('branch is taken') as string,
    });
  });

  it('never overwrites commits of somebody else on its branch', async () => {
    const theirs = await world.fixture.commitOnRemote('switchyard/sy-1-fix-it', {
      'theirs.txt': 'x\n',
    });
    world.engine.script = async (one) => {
      await edit();
      one.message('SWITCHYARD_STATUS: DONE');
      one.end();
    };
    offerTo(world);
    expect(await finished()).toMatchObject({ failureKind: 'delivery_error' });
    expect(
      world.fixture.git(world.fixture.remotePath, 'rev-parse', 'switchyard/sy-1-fix-it').trim(),
    ).toBe(theirs);
  });

  it('stalls when the engine says nothing in a turn, but not while a person is asked', async () => {
    hang();
    offerTo(world, { limits: { ...limits, turnStallMs: 300_000, requestMs: 86_400_000 } });
    const one = await turn();
    one.say({ kind: 'request', requestId: 'r1', turnId: 'turn1', questions: [] });
    await waitFor(world, 'the request', () => stored('request').length === 1);
    await world.clock.advance(700_000);
    expect(world.plane.finished.size).toBe(0);
    world.plane.say({
      type: 'answer',
      attemptId: 'att_00000001',
      epoch: 1,
      answer: { requestId: 'r1', answers: { q: ['yes'] } },
    });
    await waitFor(world, 'the answer', () => stored('request_resolved').length === 1);
    expect(one.session.answers).toEqual([{ requestId: 'r1', answers: { q: ['yes'] } }]);
    await world.clock.advance(301_000);
    expect(await finished()).toMatchObject({ outcome: 'stalled', failureKind: 'turn_stalled' });
  });

  it('is not kept alive by statistics', async () => {
    hang();
    offerTo(world, { limits: { ...limits, agentStallMs: 60_000 } });
    const one = await turn();
    for (let at = 0; at < 8; at += 1) {
      one.say({ kind: 'stats', totals });
      await world.clock.advance(10_000);
    }
    expect(await finished()).toMatchObject({ outcome: 'stalled', failureKind: 'agent_stalled' });
  });

  it('ends at its time limit whatever it does', async () => {
    hang();
    offerTo(world, { limits: { ...limits, attemptMs: 120_000, turnStallMs: 60_000 } });
    const one = await turn();
    for (let at = 0; at < 13; at += 1) {
      one.say({ kind: 'notice', level: 'info', message: 'busy' });
      await world.clock.advance(10_000);
    }
    expect(await finished()).toMatchObject({ outcome: 'failed', failureKind: 'budget_exceeded' });
  });

  it('shows garbage lines without drowning in them', async () => {
    world.engine.script = (one) => {
      for (let at = 0; at < 200; at += 1) one.say({ kind: 'garbage', sample: 'zzz', bytes: 3 });
      one.message('SWITCHYARD_STATUS: DONE');
      one.end();
    };
    offerTo(world);
    await finished();
    expect(payloads('log').filter(({ source }) => source === 'engine')).toHaveLength(50);
  });
});

describe('orders', { timeout: 60_000 }, () => {
  it('cancels: interrupts, stops with the grace, and says so after the end', async () => {
    hang();
    offerTo(world);
    await turn();
    const engine = await container();
    engine.stuck = true;
    world.plane.say({
      type: 'cancel',
      attemptId: 'att_00000001',
      epoch: 1,
      reason: 'asked to',
      graceMs: 700,
    });
    await world.clock.advance(4_000);
    expect(world.plane.finished.size).toBe(0);
    engine.stuck = false;
    expect(await finished()).toMatchObject({ outcome: 'cancelled', message: 'asked to' });
    expect(engine.graces).toEqual([700]);
    expect(world.engine.sessions[0]?.interrupts).toBe(1);
  });

  it('do not wait for the time limit of a hook', async () => {
    const started = join(world.fixture.folder, 'started');
    offerTo(world, {
      hooks: { beforeRun: `touch ${started}; sleep 300` },
      limits: { ...limits, hookMs: 600_000 },
    });
    await waitFor(world, 'the hook', () => existsSync(started));
    const order = { attemptId: 'att_00000001', epoch: 1, reason: 'asked to', graceMs: 1_000 };
    world.plane.say({ type: 'cancel', ...order });
    expect(await finished()).toMatchObject({ outcome: 'cancelled', message: 'asked to' });
  });

  it('steers once, however often it is told', async () => {
    hang();
    offerTo(world);
    const one = await turn();
    const steer = { messageId: 'm1', text: 'use tabs' };
    for (let at = 0; at < 3; at += 1) {
      world.plane.say({ type: 'steer', attemptId: 'att_00000001', epoch: 1, steer });
      await world.clock.advance(10);
    }
    expect(one.session.steers).toEqual([{ text: 'use tabs', clientMessageId: 'm1' }]);
    await waitFor(world, 'the echo', () => payloads('item').some(({ itemId }) => itemId === 'm1'));
  });

  it('lets a question go without an answer after its limit', async () => {
    hang();
    offerTo(world, { limits: { ...limits, requestMs: 30_000 } });
    const one = await turn();
    one.say({ kind: 'request', requestId: 'r1', turnId: 'turn1', questions: [] });
    await waitFor(world, 'the request', () => stored('request').length === 1);
    await world.clock.advance(30_100);
    expect(one.session.answers).toEqual([{ requestId: 'r1', answers: {} }]);
  });

  it('a fence ends the container and says nothing more', async () => {
    hang();
    offerTo(world);
    await turn();
    world.plane.say({
      type: 'fence',
      attemptId: 'att_00000001',
      epoch: 1,
      code: 'LEASE_LOST',
      currentEpoch: 2,
    });
    await waitFor(world, 'the lease to go', () => runner.host.held().length === 0);
    expect((await container()).removed).toBe(true);
    expect(world.plane.all('finish')).toEqual([]);
    expect(world.plane.all('released')).toEqual([]);
  });

  it('a lease that is not renewed ends the container before the control plane may move the work', async () => {
    hang();
    offerTo(world);
    await turn();
    runner.wire.refuse = true;
    runner.wire.cut();
    await world.clock.advance(60_000);
    expect((await container()).removed).toBe(false);
    await world.clock.advance(17_000);
    expect((await container()).removed).toBe(true);
    await waitFor(world, 'the end', () => runner.host.isIdle());
    runner.wire.refuse = false;
    await world.clock.advance(61_000);
    expect(world.plane.last('hello')?.held).toEqual([]);
  });

  it('a lease that was only accepted waits for its grant, also past the end of the former lease', async () => {
    world.plane.mischief.noGrant = true;
    offerTo(world);
    await waitFor(world, 'accept', () => world.plane.last('accept'));
    await world.clock.advance(20_000);
    runner.wire.refuse = true;
    runner.wire.cut();
    await world.clock.advance(90_000);
    expect(runner.host.held()).toMatchObject([{ phase: 'accepted' }]);
    world.plane.mischief.noGrant = false;
    runner.wire.refuse = false;
    expect(await finished()).toMatchObject({ attemptId: 'att_00000001', epoch: 1 });
    expect(world.plane.all('released')).toEqual([]);
  });

  it('gives its lease back when the runner is to stop', async () => {
    hang();
    offerTo(world);
    await turn();
    runner.host.releaseAll('stopping');
    const released = await waitFor(world, 'released', () => world.plane.last('released'));
    expect(released).toMatchObject({
      attemptId: 'att_00000001',
      container: 'dead',
      why: 'stopping',
      orderly: true,
    });
    expect(runner.host.isIdle()).toBe(true);
    expect(world.plane.finished.size).toBe(0);
  });
});

describe('a lease whose events are refused', { timeout: 60_000 }, () => {
  it.each(['DIGEST', 'EVENT_INVALID', 'SEQUENCE'])('is given up as lost on %s', async (code) => {
    hang();
    offerTo(world);
    await turn();
    const attemptId = 'att_00000001';
    world.plane.say({ type: 'error', code, message: 'never', attemptId, retryable: false });
    const released = await waitFor(world, 'released', () => world.plane.last('released'));
    expect(released).toMatchObject({ attemptId, container: 'dead' });
    expect(released.orderly).toBeUndefined();
  });
});

describe('a code host', { timeout: 60_000 }, () => {
  it('that does not answer is the failure, and not the workspace', async () => {
    offerTo(world, { repository: { url: 'https://127.0.0.1:1/app.git' } });
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'failed',
      failureKind: 'provider_unreachable',
      upstream: 'codehost',
    });
    expect(finish.message).toContain('127.0.0.1');
  });

  it('that answers without the repository is a failure of the workspace', async () => {
    offerTo(world, { repository: { url: 'file:///nowhere/app.git' } });
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'failed', failureKind: 'workspace_error' });
    expect(finish.upstream).toBeUndefined();
  });
});

describe('renewals', { timeout: 60_000 }, () => {
  it('tell the load of the sample before, and never wait for one', async () => {
    hang();
    offerTo(world);
    await turn();
    let cpuPercent = 10;
    world.containers.stats = async () => ({ cpuPercent: (cpuPercent += 1), memoryPercent: 5.04 });
    const load = async () => {
      const count = world.plane.all('renew').length;
      await waitFor(world, 'a renewal', () => world.plane.all('renew').length > count);
      return world.plane.last('renew')?.load;
    };
    expect(await load()).toEqual({});
    expect(await load()).toEqual({ att_00000001: { cpuPercent: 11, memoryPercent: 5 } });
    world.containers.stats = () => new Promise(() => undefined);
    expect(await load()).toMatchObject({ att_00000001: { cpuPercent: 12 } });
    expect(await load()).toEqual({});
  });
});

describe('offers', { timeout: 60_000 }, () => {
  it('are declined without a slot, for a workspace in use, for an unknown engine, while draining', async () => {
    hang();
    offerTo(world);
    await turn();
    const other = (attemptId: string, issue: string) => ({
      attemptId,
      issue: {
        id: issue,
        identifier: `SY-${issue}`,
        title: 't',
        description: null,
        url: null,
        labels: [],
      },
    });
    offerTo(world, { attemptId: 'att_2' });
    offerTo(world, {
      ...other('att_3', '3'),
      engine: {
        name: 'x',
        model: 'm',
        provider: { name: 'p', baseUrl: 'http://x/', wireApi: 'chat' },
      },
    });
    offerTo(world, other('../att', '4'));
    offerTo(world, other('att_5', '5'));
    await world.clock.advance(10);
    offerTo(world, other('att_6', '6'));
    await world.clock.advance(10);
    expect(world.plane.all('decline').map(({ attemptId, code }) => [attemptId, code])).toEqual([
      ['att_2', 'NO_SLOT'],
      ['att_3', 'SPEC_INVALID'],
      ['../att', 'SPEC_INVALID'],
      ['att_6', 'NO_SLOT'],
    ]);
    world.plane.say({ type: 'drain', deadlineMs: 1_000 });
    offerTo(world, other('att_7', '7'));
    await waitFor(world, 'the decline', () => world.plane.last('decline')?.code === 'DRAINING');
    await waitFor(world, 'the release', () => world.plane.all('released').length === 2);
  });
});

describe('a restart of the runner process', { timeout: 60_000 }, () => {
  const restart = async () => {
    await runner.kill();
    runner = await startHost(world);
  };

  it('goes on with a running attempt to its delivery', async () => {
    world.plane.sealedSecrets = JSON.stringify({ providerApiKey: 'sk' });
    hang();
    offerTo(world);
    const one = await turn();
    one.say({ kind: 'notice', level: 'info', message: 'before' });
    await waitFor(world, 'the notice', () => stored('notice').length === 1);
    await restart();
    expect(world.plane.last('hello')?.held).toMatchObject([
      { attemptId: 'att_00000001', phase: 'running' },
    ]);
    const adopted = await waitFor(world, 'the adoption', () => world.engine.sessions[1]);
    expect(adopted.open).toMatchObject({ adopted: true, threadId: 'thread-1' });
    await edit();
    adopted.push({
      kind: 'item_ended',
      itemId: 'm',
      item: { type: 'message', text: 'SWITCHYARD_STATUS: DONE' },
    });
    adopted.push({ kind: 'turn_ended', turnId: 'turn1', status: 'completed' });
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(finish.delivery?.diffStat.files).toBe(1);
    expect(world.containers.started).toHaveLength(1);
    expect(world.adopted).toEqual([{ attemptId: 'att_00000001', apiKey: 'sk', tokenHash: 'hash' }]);
  });

  it('leaves out of its inventory what died while nobody watched', async () => {
    hang();
    offerTo(world);
    await turn();
    await runner.kill();
    (await container()).removed = true;
    runner = await startHost(world);
    expect(world.plane.last('hello')?.held).toEqual([]);
    expect(world.revoked).toEqual(['att_00000001']);
  });

  it('ends what is past its deadline before it says hello, and only that', async () => {
    hang();
    offerTo(world);
    await turn();
    await runner.kill();
    await world.clock.advance(100_000);
    runner = await startHost(world);
    await waitFor(world, 'the end', () => world.containers.started[0]?.removed);
    expect(world.engine.sessions).toHaveLength(1);
  });

  it('says finish again that was not confirmed', async () => {
    world.plane.mischief.noFinished = true;
    offerTo(world);
    await finished();
    world.plane.mischief.noFinished = false;
    await restart();
    await waitFor(world, 'the lease to go', () => runner.host.held().length === 0);
    expect(world.plane.all('finish').length).toBeGreaterThan(1);
  });

  it('ends a container that the journal does not know, after the welcome', async () => {
    const owner = { runnerId: 'run_1', attemptId: 'att_9', epoch: 1, bootId: 'boot' };
    await world.containers.start({ owner } as Parameters<typeof world.containers.start>[0]);
    world.plane.verdictFor = (item) => ({
      attemptId: item.attemptId,
      epoch: item.epoch,
      verdict: 'stop',
      code: 'UNKNOWN_ATTEMPT',
    });
    await restart();
    expect(world.plane.last('hello')?.held).toMatchObject([{ attemptId: 'att_9', phase: 'dying' }]);
    await waitFor(world, 'the end', () => world.containers.started[0]?.removed);
  });
});
