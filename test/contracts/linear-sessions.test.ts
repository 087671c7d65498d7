import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionScene, type SessionScene } from '../support/linear/session-scene.ts';
import { heldItem, type Lease, type ScriptedRunner } from '../support/core/scripted-runner.ts';

const item = (fields: object) => ({
  kind: 'item',
  payload: { state: 'ended', itemId: 'i1', item: fields as Record<string, unknown> },
});
const ask = (questions: object[]) => ({
  kind: 'request',
  payload: { requestId: 'q1', turnId: 't1', questions },
});
const question = (text: string, more: object = {}) => ({
  id: 'a',
  header: '',
  question: text,
  options: [],
  isSecret: false,
  ...more,
});

/** The agent hands in a plan. */
async function handIn(runner: ScriptedRunner, lease: Lease, plan: string): Promise<void> {
  const summary = `${plan}\n\nSWITCHYARD_STATUS: DONE`;
  await runner.finish(lease, { outcome: 'completed', marker: 'DONE', summary });
  await scene.settle();
}

let scene: SessionScene;
beforeEach(async () => {
  scene = await createSessionScene();
});
afterEach(() => scene.close());

const ada = () => scene.fake.world.ada;
const sessions = () => scene.fake.world.sessions;
const row = () => scene.world.issue('ENG-1');

describe('an issue that is delegated', () => {
  it('is answered before its turn comes, with what it waits for', async () => {
    const { id } = scene.issue('Fix it', 'Backlog');
    const session = sessions().delegate(id, ada());
    const created = scene.withhold().at(-1)!;
    // No run of the coordinator, no runner and no poll: the delivery alone.
    await scene.deliver(created);
    expect(scene.said(session)).toEqual([
      'thought: Queued: No runner is connected, so no agent can start.',
    ]);
    expect(session.answeredAtMs! - session.createdAtMs).toBeLessThan(10_000);
    await scene.settle();
    expect(scene.said(session)).toHaveLength(1);
    expect(await row()).toMatchObject({ status: 'queued', state: 'In Progress' });
    expect(session.externalUrls).toEqual([
      { label: 'ENG-1', url: 'http://127.0.0.1:4000/issues/ENG-1' },
    ]);
  });

  it('is told of from its start to its result, with the page of its attempt', async () => {
    const { session, runner, lease } = await scene.running();
    expect(scene.said(session).at(-1)).toBe('thought: Attempt 1 is running.');
    expect(session.externalUrls).toEqual([
      {
        label: 'Attempt 1',
        url: `http://127.0.0.1:4000/issues/ENG-1?attempt=${lease.attemptId}`,
      },
    ]);
    await runner.events(
      lease,
      item({ type: 'message', text: 'I look at \u202ethe tests.' }),
      item({ type: 'command', command: 'npm test', status: 'completed', exitCode: 1 }),
    );
    await scene.world.pass(10_000);
    expect(scene.said(session).slice(-2)).toEqual([
      'thought: I look at the tests.',
      'action: Ran npm test exit code 1',
    ]);
    await runner.finish(lease, { marker: 'DONE', summary: 'All tests pass.' });
    await scene.settle();
    expect(scene.said(session).at(-1)).toBe('response: All tests pass.');
    expect(sessions().statusOf(session)).toBe('complete');
    const before = session.activities.length;
    await scene.world.pass(3_600_000);
    expect(session.activities).toHaveLength(before);
    expect(scene.fake.world.issue(session.issueId).delegate?.isMe).toBe(true);
  });

  it('is worked on although its delegate is not its assignee', async () => {
    await scene.close();
    scene = await createSessionScene({ SERVICE_CONFIG__tracker__assignee: 'me' });
    const { session } = await scene.running();
    expect(scene.said(session).at(-1)).toBe('thought: Attempt 1 is running.');
  });

  it('says why it does not begin, and by whom nothing begins', async () => {
    await scene.close();
    scene = await createSessionScene({
      SERVICE_CONFIG__tracker__requiredLabels: '["agent"]',
      SERVICE_CONFIG__tracker__allowedAuthors: '["Ada"]',
    });
    const { id } = scene.issue('Fix it', 'Backlog');
    const eve = { ...ada(), id: 'eve', name: 'Eve', email: 'eve@example.com' };
    const refused = sessions().delegate(id, eve);
    await scene.settle();
    expect(scene.said(refused)).toEqual([expect.stringContaining('response: Only people')]);
    expect(scene.fake.world.state(scene.fake.world.issue(id).stateId).name).toBe('Backlog');
    scene.fake.world.change(id, { stateId: scene.fake.world.stateNamed('Todo').id }, ada());
    const session = sessions().delegate(id, ada());
    await scene.settle();
    expect(scene.said(session).at(-1)).toMatch(/Not started yet: .*waiting for the label agent/);
  });
});

describe('a person who writes in a session', () => {
  it('steers the running turn, once, although it is a comment too', async () => {
    const { session, runner, lease } = await scene.running();
    runner.offers();
    sessions().prompt(session, 'Use \u200btabs', ada());
    await scene.settle();
    const verdict = await runner.renew([heldItem(lease)]);
    expect(verdict).toMatchObject({ verdicts: [{ steers: [{ text: 'Use tabs' }] }] });
    expect(scene.said(session).at(-1)).toBe('thought: Passed on to the agent.');
    expect(await row()).toMatchObject({ status: 'running' });
  });

  it('answers what the agent asks', async () => {
    const { session, runner, lease } = await scene.running();
    const options = [
      { label: 'Red', description: 'warm' },
      { label: 'Blue', description: 'cold' },
    ];
    await runner.events(lease, ask([question('Which colour?', { options })]));
    await scene.settle();
    const asked = session.activities.at(-1);
    expect(asked).toMatchObject({ signal: 'select', content: { type: 'elicitation' } });
    expect(sessions().statusOf(session)).toBe('awaitingInput');
    sessions().prompt(session, 'blue', ada());
    await scene.settle();
    const verdict = await runner.renew([heldItem(lease)]);
    expect(verdict).toMatchObject({
      verdicts: [{ answers: [{ requestId: 'q1', answers: { a: ['Blue'] } }] }],
    });
    expect(JSON.stringify(verdict)).not.toContain('steers');
    expect(sessions().statusOf(session)).toBe('active');
  });

  it('decides a plan', async () => {
    await scene.close();
    scene = await createSessionScene({ SERVICE_CONFIG__agent__plan__mode: 'ask' });
    const { session, runner, lease } = await scene.running();
    await handIn(runner, lease, '1. Add the page.');
    const asked = session.activities.at(-1);
    expect(asked).toMatchObject({ signal: 'select', content: { type: 'elicitation' } });
    expect(scene.said(session).at(-1)).toContain('Add the page.');
    expect(sessions().statusOf(session)).toBe('awaitingInput');
    sessions().prompt(session, 'Rather two pages.', ada());
    await scene.settle();
    const again = await runner.accept(runner.offer());
    const { spec } = await scene.world.attempt(again.attemptId);
    expect(spec.readOnly).toBe(true);
    expect(spec.prompt).toContain('Rather two pages.');
    await handIn(runner, again, '1. Add two pages.');
    sessions().prompt(session, 'approve', ada());
    await scene.settle();
    const work = await scene.world.attempt(runner.offer().attemptId);
    expect(work.spec.readOnly).toBeUndefined();
    expect(work.spec.prompt).toContain('1. Add two pages.');
    expect(work.spec.prompt).not.toContain('approve\n');
  });

  it('is not asked for a secret there', async () => {
    const { session, runner, lease } = await scene.running();
    await runner.events(lease, ask([question('The key?', { isSecret: true })]));
    await scene.settle();
    expect(scene.said(session).at(-1)).toContain('Do not write it here');
    sessions().prompt(session, 'hunter2', ada());
    await scene.settle();
    const verdict = await runner.renew([heldItem(lease)]);
    expect(JSON.stringify(verdict)).not.toContain('"answers"');
  });

  it('stops the attempt at once', async () => {
    const { session, runner, lease } = await scene.running();
    runner.offers();
    sessions().prompt(session, 'Stop', ada(), 'stop');
    const [stop] = scene.withhold();
    await scene.deliver(stop!);
    const orders = scene.world.core.sockets.take(runner.runnerId);
    expect(orders).toMatchObject([{ type: 'cancel', attemptId: lease.attemptId }]);
    await runner.finish(lease, { outcome: 'cancelled' });
    await scene.settle();
    expect(scene.said(session).at(-1)).toContain('response: Stopped by Ada in the tracker.');
    expect(await row()).toMatchObject({ status: 'cancelled' });
    // A repeated one of an hour later must not stop what a person began anew.
    sessions().prompt(session, 'Go on', ada());
    await scene.settle();
    const again = await runner.accept(runner.offer());
    await scene.world.pass(30_000);
    await scene.deliver(stop!, { id: 'again' });
    await scene.settle();
    expect((await scene.world.attempt(again.attemptId)).cancel_requested_at_ms).toBeNull();
  });

  it('ends what is blocked with a stop, and is not told that an agent stops', async () => {
    const { session, runner, lease } = await scene.running();
    await runner.finish(lease, { marker: 'BLOCKED', summary: 'Which key?' });
    await scene.settle();
    sessions().prompt(session, 'Stop', ada(), 'stop');
    await scene.settle();
    expect(await row()).toMatchObject({ status: 'cancelled' });
    expect(scene.said(session).at(-1)).toContain('response: Stopped by Ada in the tracker.');
    expect(scene.said(session).join()).not.toContain('Stopping the agent');
    expect(runner.offers()).toEqual([]);
  });

  it('wakes what is blocked, and is heard by the next attempt', async () => {
    const { session, runner, lease } = await scene.running();
    await runner.finish(lease, { marker: 'BLOCKED', summary: 'Which key?' });
    await scene.settle();
    expect(sessions().statusOf(session)).toBe('awaitingInput');
    await scene.world.pass(60_000);
    sessions().prompt(session, 'The one under the mat', ada());
    await scene.settle();
    expect(runner.offer().spec.prompt).toContain('The one under the mat');
  });

  it('is heard on an issue that no attempt has begun', async () => {
    const { id } = scene.issue('Fix it');
    const session = sessions().mention(id, '@switchyard mind the tabs', ada());
    await scene.settle();
    const runner = await scene.addRunner();
    await scene.world.tick();
    const { prompt } = runner.offer().spec;
    expect(prompt.split('mind the tabs')).toHaveLength(2);
    expect(scene.said(session)[0]).toContain('Queued');
  });
});

describe('deliveries about sessions', () => {
  it('are harmless when doubled, late or the wrong way round', async () => {
    const runner = await scene.addRunner();
    const { id } = scene.issue('Fix it');
    const session = sessions().mention(id, '@switchyard go', ada());
    sessions().prompt(session, 'Quickly', ada());
    const events = scene.withhold().toReversed();
    for (const event of [...events, ...events]) await scene.deliver(event);
    await scene.settle();
    const offer = runner.offer();
    expect(offer.spec.prompt.split('Quickly')).toHaveLength(2);
    expect(offer.spec.prompt.split('@switchyard go')).toHaveLength(2);
    const lease = await runner.accept(offer);
    await runner.finish(lease, { marker: 'DONE', summary: 'Done.' });
    await scene.settle();
    await scene.world.pass(3_600_000);
    const before = session.activities.length;
    for (const event of events) await scene.deliver(event);
    await scene.settle();
    expect(runner.offers()).toEqual([]);
    expect(await row()).toMatchObject({ status: 'completed', attempt_count: 1 });
    expect(session.activities).toHaveLength(before);
  });

  it('leave only the newest session of an issue to be told', async () => {
    const { id } = scene.issue('Fix it');
    const first = sessions().delegate(id, ada());
    await scene.settle();
    const second = sessions().mention(id, '@switchyard and mind the tabs', ada());
    await scene.settle();
    expect(scene.said(first).at(-1)).toContain('a newer session');
    const runner = await scene.addRunner();
    await scene.world.tick();
    await runner.accept(runner.offer());
    await scene.settle();
    expect(scene.said(first).at(-1)).toContain('a newer session');
    expect(scene.said(second).at(-1)).toBe('thought: Attempt 1 is running.');
  });
});
