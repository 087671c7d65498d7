import { describe, expect, it } from 'vitest';
import { abortIssue } from '../../control-plane/src/issues/actions/abort-issue.ts';
import { PERSON } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { addRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const NAME = 'session-1';
const thread = (threadId: string, { resumed = false } = {}) => ({
  kind: 'thread',
  payload: { threadId, resumed, engineVersion: '1' },
});

/** Two issues at work on one runner; the first has a session of that name. */
async function scene() {
  const world = await make({ SERVICE_CONFIG__agent__maxContinuationAttempts: '1' });
  const runner = await addRunner(world, 2);
  await world.createIssue();
  await world.createIssue();
  await world.tick();
  const [one, two] = runner.offers();
  if (one === undefined || two === undefined) throw new Error('two offers were expected');
  const first = await runner.accept(one);
  const second = await runner.accept(two);
  await runner.events(first, thread(NAME));
  return { world, runner, first, second };
}

describe('an engine that gives two issues one session id', () => {
  it('ends the second attempt with that reason, and fences its runner', async () => {
    const { world, runner, first, second } = await scene();
    const answer = await runner.events(second, thread(NAME));
    expect(answer).toMatchObject({ type: 'fence', code: 'ATTEMPT_TERMINAL' });
    expect(await world.attempt(second.attemptId)).toMatchObject({
      status: 'failed',
      outcome: 'failed',
      failure_kind: 'agent_error',
      reason_code: 'session_shared',
      loss_count: 0,
      thread_id: null,
      error_message: expect.stringContaining('"session-1"') as string,
    });
    expect(await world.issue('SY-2')).toMatchObject({
      status: 'retrying',
      reason_code: 'session_shared',
      reason: expect.stringContaining('SY-1') as string,
    });
    // The one whose session it is goes on.
    expect(await runner.events(first, thread(NAME, { resumed: true }))).toMatchObject({
      type: 'ack',
      upto: 2,
    });
    expect(await world.attempt(first.attemptId)).toMatchObject({ status: 'running' });
  });

  it('starts nothing again that a person has asked to stop', async () => {
    const { world, runner, second } = await scene();
    await abortIssue(world.deps, { identifier: 'SY-2', caller: PERSON });
    expect(await runner.events(second, thread(NAME))).toMatchObject({ type: 'fence' });
    expect(await world.attempt(second.attemptId)).toMatchObject({ status: 'cancelled' });
    expect(await world.issue('SY-2')).toMatchObject({
      status: 'cancelled',
      reason_code: 'stopped_by_person',
    });
  });

  it('uses up a try each time and ends as failed, never as a lost runner', async () => {
    const { world, runner, second } = await scene();
    await runner.events(second, thread(NAME));
    await world.pass(15_000);
    await runner.events(await runner.accept(runner.offer()), thread(NAME));
    expect(await world.issue('SY-2')).toMatchObject({
      status: 'failed',
      reason_code: 'session_shared',
    });
  });
});
