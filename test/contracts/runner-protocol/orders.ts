import { expect, it } from 'vitest';
import { requests } from '../../../control-plane/src/db/schema/work/requests.ts';
import { abortIssue } from '../../../control-plane/src/issues/actions/abort-issue.ts';
import { reclaimAttempt } from '../../../control-plane/src/runners/leases/reclaim-attempt.ts';
import { handleComment } from '../../../control-plane/src/issues/actions/handle-comment.ts';
import { answerRequest } from '../../../control-plane/src/issues/requests/answer-request.ts';
import { type CoreWorld, PERSON } from '../../support/core/core-world.ts';
import { heldItem, type Lease, type ScriptedRunner } from '../../support/core/scripted-runner.ts';
import type { MakeWorld } from '../describe-runner-protocol.ts';
import { sceneWithLease } from './scene.ts';

const QUESTION = {
  id: 'q1',
  header: 'Which',
  question: 'Which one?',
  options: [],
  isSecret: false,
};

async function ask(world: CoreWorld, runner: ScriptedRunner, lease: Lease): Promise<string> {
  const payload = { requestId: 'engine-7', turnId: 'tu-1', questions: [QUESTION] };
  await runner.events(lease, { kind: 'request', payload });
  const rows = await world.deps.db.select().from(requests);
  const asked = rows.find((row) => row.state === 'asked');
  if (asked === undefined) throw new Error('nothing was asked');
  return asked.request_id;
}

export function describeOrders(make: MakeWorld): void {
  it('repeats a cancel in every renewal until the runner has finished', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await abortIssue(world.deps, { identifier, caller: PERSON });
    expect(world.core.sockets.take(runner.runnerId)).toMatchObject([
      { type: 'cancel', epoch: lease.epoch },
    ]);
    for (let renewal = 0; renewal < 3; renewal += 1) {
      await world.pass(15_000);
      expect(await runner.renew([heldItem(lease)])).toMatchObject({
        verdicts: [{ verdict: 'keep', cancel: { reason: 'stopped by ada', graceMs: 10_000 } }],
      });
    }
    const { welcome } = await runner.hello({ held: [heldItem(lease)] });
    expect(welcome.verdicts).toMatchObject([
      { verdict: 'keep', cancel: { reason: 'stopped by ada' } },
    ]);
    await runner.finish(lease, { outcome: 'cancelled' });
    expect(await runner.renew([])).toMatchObject({ verdicts: [] });
    expect(await world.attempt(lease.attemptId)).toMatchObject({
      status: 'cancelled',
      outcome: 'cancelled',
    });
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
  });

  it.each([
    { outcome: 'failed', failureKind: 'agent_error' },
    { outcome: 'stalled', failureKind: 'turn_stalled' },
    { outcome: 'completed' },
  ] as const)('lets an aborted issue rest although its agent ended as $outcome', async (end) => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await abortIssue(world.deps, { identifier, caller: PERSON });
    await runner.finish(lease, end);
    for (let run = 0; run < 3; run += 1) await world.pass(600_000);
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled', attempt_count: 1 });
    expect(runner.offers()).toEqual([]);
  });

  it('queues nothing again that a person stopped while its loss was being written', async () => {
    const { world, lease, identifier } = await sceneWithLease(make);
    const seen = await world.attempt(lease.attemptId);
    await abortIssue(world.deps, { identifier, caller: PERSON });
    expect(
      await reclaimAttempt(world.deps, seen, { why: 'its lease ran out', lastSeenAtMs: 0 }),
    ).toBe(false);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'running' });
    await reclaimAttempt(world.deps, await world.attempt(lease.attemptId), {
      why: 'its lease ran out',
      lastSeenAtMs: 0,
    });
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'cancelled' });
  });

  it('ends an aborted attempt whose runner is lost instead of giving it to another', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await abortIssue(world.deps, { identifier, caller: PERSON });
    await world.pass(100_000);
    expect(await world.attempt(lease.attemptId)).toMatchObject({ status: 'cancelled' });
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
    expect(runner.offers()).toEqual([]);
  });

  it('repeats an answer in every renewal until the engine has taken it', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const requestId = await ask(world, runner, lease);
    await answerRequest(world.deps, { requestId, answers: { q1: ['the first'] }, caller: PERSON });
    const order = { requestId: 'engine-7', answers: { q1: ['the first'] } };
    expect(world.core.sockets.take(runner.runnerId)).toMatchObject([
      { type: 'answer', answer: order },
    ]);
    for (let renewal = 0; renewal < 2; renewal += 1) {
      expect(await runner.renew([heldItem(lease)])).toMatchObject({
        verdicts: [{ answers: [order] }],
      });
    }
    await runner.events(lease, { kind: 'request_resolved', payload: { requestId: 'engine-7' } });
    expect(await runner.renew([heldItem(lease)])).toMatchObject({ verdicts: [] });
    const [row] = await world.deps.db.select().from(requests);
    expect(row).toMatchObject({ state: 'resumed', answered_by: 'ada' });
  });

  it('takes the first answer only, and none after the time is up', async () => {
    const { world, runner, lease } = await sceneWithLease(make, {
      SERVICE_CONFIG__agent__requestTimeoutMs: '60000',
    });
    const requestId = await ask(world, runner, lease);
    const answer = () =>
      answerRequest(world.deps, { requestId, answers: { q1: ['x'] }, caller: PERSON });
    await answer();
    await expect(answer()).rejects.toMatchObject({ status: 409 });
    await runner.events(lease, { kind: 'request_resolved', payload: { requestId: 'engine-7' } });
    const payload = { requestId: 'engine-8', turnId: 'tu-1', questions: [QUESTION] };
    await runner.events(lease, { kind: 'request', payload });
    await world.pass(60_000);
    const rows = await world.deps.db.select().from(requests);
    const late = rows.find((row) => row.engine_request_id === 'engine-8');
    expect(late).toMatchObject({ state: 'expired' });
    await expect(
      answerRequest(world.deps, {
        requestId: late?.request_id ?? '',
        answers: { q1: ['x'] },
        caller: PERSON,
      }),
    ).rejects.toMatchObject({ status: 409 });
  });

  it('leaves people the time that the attempt was given, whatever new ones get', async () => {
    const setting = 'SERVICE_CONFIG__agent__requestTimeoutMs';
    const { world, runner, lease } = await sceneWithLease(make, { [setting]: '2592000000' });
    await ask(world, runner, lease);
    await world.restart({ [setting]: '60000' });
    await world.tick();
    const payload = { requestId: 'engine-8', turnId: 'tu-1', questions: [QUESTION] };
    await runner.hello({ held: [heldItem(lease)] });
    await runner.events(lease, { kind: 'request', payload });
    const rows = await world.deps.db.select().from(requests);
    expect(rows.map((row) => row.expires_at_ms - row.asked_at_ms)).toEqual([
      2_592_000_000, 2_592_000_000,
    ]);
  });

  it('keeps a question that a clock ahead has dated open for as long as its attempt was given', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const nowMs = world.clock.nowMs();
    world.clock.advance(400 * 86_400_000);
    await runner.hello({ held: [heldItem(lease)] });
    await ask(world, runner, lease);
    world.clock.advance(nowMs - world.clock.nowMs());
    await world.restart();
    const [row] = await world.deps.db.select().from(requests);
    expect(row).toMatchObject({ asked_at_ms: nowMs, expires_at_ms: nowMs + 86_400_000 });
  });

  it('never gives the answer to an engine that is gone to the next one', async () => {
    const { world, runner, lease } = await sceneWithLease(make);
    const answered = await ask(world, runner, lease);
    await answerRequest(world.deps, {
      requestId: answered,
      answers: { q1: ['for you'] },
      caller: PERSON,
    });
    await runner.hello({ held: [] });
    await world.tick();
    const next = await runner.accept(runner.offer());
    const repeated = (await runner.renew([heldItem(next)])) as { verdicts: unknown[] };
    expect(repeated.verdicts).toEqual([]);
    const rows = await world.deps.db.select().from(requests);
    expect(rows.map((row) => row.state)).toEqual(['expired']);
  });

  it('repeats a person’s words until the engine shows them', async () => {
    const { world, runner, identifier, lease } = await sceneWithLease(make);
    await runner.events(lease, {
      kind: 'turn',
      payload: { state: 'started', turnId: 'tu-1', number: 1 },
    });
    const issue = await world.issue(identifier);
    const comment = {
      tracker: 'local',
      issueId: issue.id,
      commentId: 'cmt_1',
      author: 'ada',
      body: 'faster',
    };
    await handleComment(world.deps, comment);
    await handleComment(world.deps, comment);
    const steers = [{ messageId: 'cmt_1', text: 'faster' }];
    expect(await runner.renew([heldItem(lease)])).toMatchObject({ verdicts: [{ steers }] });
    expect(await runner.renew([heldItem(lease)])).toMatchObject({ verdicts: [{ steers }] });
    const item = { type: 'user_message', clientId: 'cmt_1' };
    await runner.events(lease, { kind: 'item', payload: { state: 'ended', itemId: 'i1', item } });
    expect(await runner.renew([heldItem(lease)])).toMatchObject({ verdicts: [] });
  });
}
