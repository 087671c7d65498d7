import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { RunnerMessage } from '@switchyard/shared/protocol/messages';
import { audit } from '../../control-plane/src/db/schema/operation/audit.ts';
import { runners } from '../../control-plane/src/db/schema/runners/runners.ts';
import { threadUsage, usageDays } from '../../control-plane/src/db/schema/work/usage.ts';
import { createJoinToken } from '../../control-plane/src/runners/admin/create-join-token.ts';
import { joinRunner } from '../../control-plane/src/runners/admin/join-runner.ts';
import { type CoreWorld, PERSON } from '../support/core/core-world.ts';
import { createRunnerIdentity } from '../support/core/runner-identity.ts';
import {
  DELIVERY,
  heldItem,
  type Lease,
  note,
  type ScriptedRunner,
} from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const TOKENS = { input: 10, cachedInput: 0, output: 5, reasoning: 0, total: 15 };

type Scene = {
  world: CoreWorld;
  victim: ScriptedRunner;
  theirs: Lease;
  thief: ScriptedRunner;
  mine: Lease;
};

/** Two runners that hold an attempt of an issue each. */
async function scene(): Promise<Scene> {
  const world = await make();
  const victim = await addRunner(world);
  await world.createIssue();
  await world.tick();
  const theirs = await victim.accept(victim.offer());
  const thief = await addRunner(world);
  await world.createIssue();
  await world.tick();
  const mine = await thief.accept(thief.offer());
  return { world, victim, theirs, thief, mine };
}

function blob(world: CoreWorld, lease: Lease, name: string, body?: string) {
  const path = `/api/v1/runners/blobs/${lease.attemptId}/${lease.epoch}/${name}`;
  const headers = { Authorization: `Bearer ${lease.token}` };
  return world.core.app.request(path, { method: 'PUT', headers, body: body ?? 'words' });
}

const checkpoint = (changes: Record<string, unknown>) => ({
  kind: 'checkpoint',
  payload: {
    ordinal: 1,
    trigger: 'turn_completed',
    threadId: 'thr_1',
    turnId: null,
    commitSha: null,
    baseCommit: null,
    sessionBlob: null,
    diffBlob: null,
    diffStat: null,
    tokens: TOKENS,
    ...changes,
  },
});
const thread = (threadId: string) => ({
  kind: 'thread',
  payload: { threadId, resumed: false, engineVersion: '1' },
});
const usage = (totals: Record<string, number>) => ({ kind: 'usage', payload: { totals } });

describe('a runner that lies', () => {
  it('cannot write, end, give back or renew what another holds, under any epoch', async () => {
    const { world, thief, theirs } = await scene();
    const before = await world.attempt(theirs.attemptId);
    for (const epoch of [1, 2, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const ref = { attemptId: theirs.attemptId, epoch };
      const lease = { ...theirs, epoch };
      const items = [{ ...note('mine'), seq: 1, atMs: 0 }];
      const tried: RunnerMessage[] = [
        { type: 'accept', ...ref, ref: 'a' },
        { type: 'decline', ...ref, code: 'SPEC_INVALID' },
        { type: 'events', ...ref, from: 1, items },
        { type: 'delta', ...ref, items: [{ itemId: 'i', stream: 's', text: 'x' }] },
        { type: 'released', ...ref, why: 'x', container: 'dead', orderly: true },
        { type: 'released', ...ref, why: 'x', container: 'dead' },
      ];
      for (const message of tried) {
        for (const reply of await thief.send(message)) expect(reply.type).toBe('fence');
      }
      expect((await thief.finish(lease, { outcome: 'failed' })).type).toBe('fence');
      const renewed = await thief.renew([heldItem(lease)]);
      expect(renewed).toMatchObject({ verdicts: [{ verdict: 'stop' }] });
    }
    expect(await world.attempt(theirs.attemptId)).toEqual(before);
  });

  it('cannot have another’s blob shown as its own', async () => {
    const { world, theirs, thief, mine } = await scene();
    expect((await blob(world, theirs, 'diff', 'their secret')).status).toBe(201);
    const key = `attempts/${theirs.attemptId}/1/diff`;
    for (const field of ['diffBlob', 'sessionBlob']) {
      const lease = { ...mine };
      const answer = await thief.events(lease, checkpoint({ [field]: key }));
      expect(answer).toMatchObject({ type: 'error', code: 'EVENT_INVALID' });
    }
    const delivery = { ...DELIVERY, branch: 'switchyard/SY-2', diffBlob: key };
    const end = await thief.finish(mine, { delivery, marker: 'DONE' });
    expect(end).toMatchObject({ type: 'error', code: 'INVALID' });
    const shown = await world.core.app.request('/api/v1/issues/SY-2/diff');
    expect(await shown.text()).not.toContain('their secret');
    const read = await world.core.app.request(
      `/api/v1/runners/blobs/${mine.attemptId}/1?key=${encodeURIComponent(key)}`,
      { headers: { Authorization: `Bearer ${mine.token}` } },
    );
    expect(read.status).toBe(404);
    const own = await blob(world, mine, 'diff', 'my own');
    expect(own.status).toBe(201);
    const ownKey = `attempts/${mine.attemptId}/1/diff`;
    const ended = await thief.finish(mine, {
      delivery: { ...delivery, diffBlob: ownKey },
      marker: 'DONE',
    });
    expect(ended.type).toBe('finished');
  });

  it('cannot deliver a branch that is not the service’s', async () => {
    const { thief, mine } = await scene();
    for (const branch of ['main', 'refs/heads/main', 'switchyard', 'x/switchyard/SY-2']) {
      const end = await thief.finish(mine, { delivery: { ...DELIVERY, branch }, marker: 'DONE' });
      expect(end).toMatchObject({ type: 'error', code: 'INVALID' });
    }
  });

  it('cannot speak for another’s thread, nor use up its budget', async () => {
    const { world, victim, theirs, thief, ...rest } = await scene();
    let { mine } = rest;
    await victim.events(theirs, thread('thr_victim'), usage(TOKENS));
    const much = { ...TOKENS, total: 999_999_999 };
    // What an attempt used itself stands under the attempt's own name.
    for (const name of ['thr_victim', theirs.attemptId]) {
      const claimed = await thief.events({ ...mine }, thread(name), usage(much));
      expect(claimed).toMatchObject({ type: 'fence' });
      expect(await world.attempt(mine.attemptId)).toMatchObject({ reason_code: 'session_shared' });
      await world.pass(25_000);
      mine = await thief.accept(thief.offer());
    }
    const [row] = await world.deps.db
      .select()
      .from(threadUsage)
      .where(eq(threadUsage.thread_id, 'thr_victim'));
    expect(row?.tokens).toEqual(TOKENS);
    expect(await world.issue('SY-1')).toMatchObject({ tokens: { total: 15 } });
    // Its own may be gone on with.
    expect(await thief.events(mine, thread('thr_own'), usage(TOKENS))).toMatchObject({ upto: 2 });
  });

  it('cannot report usage that is no number of tokens', async () => {
    const { world, thief, mine } = await scene();
    await thief.events(mine, thread('thr_own'));
    const days = async () => await world.deps.db.select().from(usageDays);
    const before = await days();
    for (const total of [-1, 0.5, 1e300, Number.MAX_SAFE_INTEGER]) {
      const answer = await thief.events({ ...mine }, usage({ ...TOKENS, total }));
      expect(answer).toMatchObject({ type: 'error', code: 'EVENT_INVALID' });
      const usageOfEnd = { ...TOKENS, total };
      const [end] = await thief.send({
        type: 'finish',
        attemptId: mine.attemptId,
        epoch: mine.epoch,
        finalSeq: mine.seq,
        digest: mine.digest,
        outcome: 'failed',
        marker: null,
        summary: null,
        usage: usageOfEnd,
      });
      expect(end).toMatchObject({ type: 'error', code: 'INVALID' });
    }
    expect(await days()).toEqual(before);
  });

  it('cannot write events that the service alone writes', async () => {
    const { thief, mine } = await scene();
    for (const kind of ['tool_call', 'tool_refused']) {
      const answer = await thief.events({ ...mine }, { kind, payload: { outcome: 'done' } });
      expect(answer).toMatchObject({ type: 'error', code: 'EVENT_INVALID' });
    }
    // Types of the stream are no kinds: they stand inside, as what a runner said.
    expect(
      await thief.events(mine, { kind: 'issue.completed', payload: {} }, note('x')),
    ).toMatchObject({ type: 'ack', upto: 2 });
  });

  it('cannot break what is shown of workspaces', async () => {
    const { world, thief } = await scene();
    const workspace = { key: 'k', path: '/p', identifier: 'SY-1', diskBytes: 1, inUse: false };
    for (const lastModifiedAtMs of [1e300, -1e300, 9e15]) {
      const call = world.deps.connections.call(thief.runnerId, 'workspaces.list', {}, 5_000);
      const [order] = world.core.sockets.take(thief.runnerId).filter((m) => m.type === 'call');
      const value = { workspaces: [{ ...workspace, lastModifiedAtMs }] };
      await thief.send({ type: 'result', callId: order?.callId ?? '', ok: true, value });
      await expect(call).rejects.toThrow('malformed');
    }
  });

  it('tells the load of its own containers only', async () => {
    const { world, thief, theirs, mine } = await scene();
    const use = { cpuPercent: 1, memoryPercent: 2 };
    const load = { [mine.attemptId]: use, [theirs.attemptId]: use, x: use };
    await thief.send({ ...thief.renewMessage([heldItem(mine)]), load });
    const [row] = await world.deps.db
      .select()
      .from(runners)
      .where(eq(runners.runner_id, thief.runnerId));
    expect(row?.load).toEqual({ [mine.attemptId]: use });
  });

  it('is shown without characters that nobody sees', async () => {
    const world = await make();
    const caller = { requestId: 'req-join', path: '/join' };
    const made = { labels: [], expiresInMs: 60_000, caller: PERSON };
    const { token } = await createJoinToken(world.deps, made);
    const identity = await createRunnerIdentity('red\u001b[31m\u202egnp\u0000\nnew line');
    const version = '1\u001b]0;x\u0007';
    const request = { ...identity.joinRequest([]), version };
    const { runnerId } = await joinRunner(world.deps, { token, request, caller });
    const [row] = await world.deps.db.select().from(runners).where(eq(runners.runner_id, runnerId));
    const entries = await world.deps.db.select().from(audit);
    const unseen = /[^\P{C}]/u;
    for (const text of [row?.name ?? '', row?.version ?? '']) expect(text).not.toMatch(unseen);
    expect(row?.name).toContain('new line');
    for (const { details } of entries) expect(JSON.stringify(details)).not.toMatch(/\\u001b/);
  });

  it('loses its upload token with its identity', async () => {
    const { world, thief, mine } = await scene();
    expect((await blob(world, mine, 'one')).status).toBe(201);
    await world.revoke(thief.runnerId);
    expect((await blob(world, mine, 'two')).status).toBe(401);
  });

  it('loses it with its lease', async () => {
    const { world, mine } = await scene();
    world.clock.advance(
      world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs,
    );
    expect((await blob(world, mine, 'late')).status).toBe(401);
  });

  it('cannot fill the database with uploads', async () => {
    const { world, mine } = await scene();
    const answers: number[] = [];
    for (let count = 0; count < 520; count += 1) {
      answers.push((await blob(world, mine, `b${count}`)).status);
    }
    expect(answers.filter((status) => status === 201)).toHaveLength(512);
    expect(answers.at(-1)).toBe(413);
  });

  it('answers its own calls only', async () => {
    const { world, victim, thief } = await scene();
    const call = world.deps.connections.call(victim.runnerId, 'workspaces.list', {}, 20_000);
    const orders = world.core.sockets.take(victim.runnerId);
    const callId = orders.find((one) => one.type === 'call')?.callId ?? '';
    await thief.send({ type: 'result', callId, ok: true, value: { workspaces: [] } });
    await victim.send({ type: 'result', callId, ok: false, error: { code: 'no', message: 'no' } });
    await expect(call).rejects.toThrow('no');
  });
});
