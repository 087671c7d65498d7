import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { describe, expect, it } from 'vitest';
import { handleComment } from '../../control-plane/src/issues/actions/handle-comment.ts';
import { callCore } from '../support/core/call-core.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { DELIVERY, type Lease } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { type RunningScene, sceneWithRunner } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const ROUTE = { prefix: 'SY', url: 'file:///srv/repositories/shop' };
const PLAN = '## Steps\n1. Add the page.\n\n## Estimate\n- One file.';
const ASKING = `${PLAN}\n\n## Questions\n- Which colour?`;
const THREAD = {
  kind: 'thread',
  payload: { threadId: 'thr-1', resumed: false, model: 'm', engineVersion: '1' },
};
const turnOf = (number: number) => ({
  kind: 'turn',
  payload: { state: 'started', turnId: `tu-${number}`, number },
});

const checkpoint = (more: Record<string, unknown>) => ({
  kind: 'checkpoint',
  payload: {
    ordinal: 1,
    trigger: 'turn_completed',
    threadId: 'thr-1',
    turnId: null,
    diffStat: null,
    baseCommit: null,
    commitSha: null,
    sessionBlob: null,
    diffBlob: null,
    tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0, total: 0 },
    ...more,
  },
});

async function sceneWithPlanner(
  plan: Record<string, unknown> = { mode: 'ask' },
  given: { route?: Record<string, unknown>; labels?: string[] } = {},
): Promise<RunningScene> {
  const variables = {
    SERVICE_CONFIG__repos: JSON.stringify([{ ...ROUTE, ...given.route }]),
    SERVICE_CONFIG__agent__plan: JSON.stringify(plan),
  };
  const scene = await sceneWithRunner(make, { variables });
  const { world, runner } = scene;
  const identifier = await world.createIssue({ labels: given.labels ?? [] });
  await world.tick();
  const lease = await runner.accept(runner.offer());
  await world.tick();
  await runner.events(lease, THREAD, turnOf(1));
  return { ...scene, identifier, lease };
}

const specOf = async ({ world, lease }: RunningScene) =>
  (await world.attempt(lease.attemptId)).spec;

/** The agent hands in a plan. */
async function handIn({ world, runner, lease }: RunningScene, text = PLAN): Promise<void> {
  const summary = `${text}\n\nSWITCHYARD_STATUS: DONE`;
  await runner.finish(lease, { outcome: 'completed', marker: 'DONE', summary });
  await world.tick();
}

/** The attempt that is offered next, taken. */
async function next({ world, runner }: RunningScene): Promise<Lease> {
  await world.tick();
  return runner.accept(runner.offer());
}

async function requestsOf(world: CoreWorld, state = 'asked'): Promise<HumanRequest[]> {
  const { body } = await callCore(world, 'GET', `/api/v1/requests?state=${state}`);
  return (body as { requests: HumanRequest[] }).requests;
}

async function waiting(world: CoreWorld): Promise<HumanRequest> {
  const [request, ...others] = await requestsOf(world);
  if (request === undefined || others.length > 0) throw new Error('not one plan waits');
  return request;
}

async function decide(world: CoreWorld, answers: Record<string, string[]>) {
  const { requestId } = await waiting(world);
  return callCore(world, 'POST', `/api/v1/requests/${requestId}/answer`, { answers });
}

async function attemptsOf({ world, identifier }: RunningScene): Promise<Attempt[]> {
  const { body } = await callCore(world, 'GET', `/api/v1/${identifier}/attempts`);
  return (body as { attempts: Attempt[] }).attempts;
}

async function comment({ world, identifier }: RunningScene, body: string, agoMs = 0) {
  const { tracker, id: issueId } = await world.issue(identifier);
  await handleComment(world.deps, {
    tracker,
    issueId,
    commentId: 'c-1',
    author: 'ada',
    body,
    writtenAtMs: world.clock.nowMs() - agoMs,
  });
}

describe('an issue whose work needs a plan', () => {
  it('is first given to an agent that only reads', async () => {
    const scene = await sceneWithPlanner();
    const spec = await specOf(scene);
    expect(spec).toMatchObject({
      readOnly: true,
      checkpoints: { pushWorkInProgress: false },
      prompt: expect.stringContaining('`## Questions`'),
    });
    expect(spec).not.toHaveProperty('checks');
    expect(await attemptsOf(scene)).toMatchObject([{ kind: 'plan', number: 1 }]);
  });

  it('waits with its plan for a person, and holds no slot', async () => {
    const scene = await sceneWithPlanner();
    const { world, runner, identifier } = scene;
    await handIn(scene, ASKING);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason_code: 'plan_waiting',
      thread_id: 'thr-1',
    });
    const request = await waiting(world);
    expect(request.plan).toEqual({ text: ASKING, isStale: false });
    expect(request.questions.map(({ question }) => question)).toEqual([
      'Approve the plan, or say what should be different.',
      'Which colour?',
    ]);
    await world.pass(60_000);
    expect(runner.offers()).toEqual([]);
    const { body } = await callCore(world, 'GET', '/api/v1/notifications');
    expect(JSON.stringify(body)).toContain(`The plan for ${identifier} waits.`);
  });

  it('is worked on by the approved plan, in the same thread, with fresh counts', async () => {
    const scene = await sceneWithPlanner();
    const { world, identifier } = scene;
    await handIn(scene, ASKING);
    const { status, body } = await decide(world, { plan: ['approve'], question_1: ['Blue'] });
    expect(status).toBe(202);
    expect(body).toMatchObject({ state: 'resumed', answers: { plan: ['Approve'] } });
    const lease = await next(scene);
    const work = { ...scene, lease };
    const { continuationPrompt, ...spec } = await specOf(work);
    expect(spec).toMatchObject({ resumeThreadId: 'thr-1' });
    expect(spec).not.toHaveProperty('readOnly');
    for (const prompt of [spec.prompt, continuationPrompt]) {
      expect(prompt).toContain('## The approved plan');
      expect(prompt).toContain('1. Add the page.');
      expect(prompt).toMatch(/Which colour\?\n\n```text\nBlue\n```/);
    }
    expect(continuationPrompt).toContain('You may change the repository now.');
    expect(await world.issue(identifier)).toMatchObject({ run_count: 1, attempt_count: 2 });
    const attempts = await attemptsOf(scene);
    expect(attempts.map(({ kind }) => kind)).toEqual(['work', 'plan']);
    const evidence = await callCore(world, 'GET', `/api/v1/attempts/${lease.attemptId}/evidence`);
    expect(evidence.body).toMatchObject({
      questionCount: 1,
      questions: [{ question: 'Which colour?', answer: 'Blue' }],
    });
  });

  it('goes on with its work as usual once a turn of that is over', async () => {
    const scene = await sceneWithPlanner();
    const { world, runner } = scene;
    await handIn(scene);
    await decide(world, { plan: ['Approve'] });
    const cutOff = await next(scene);
    await runner.events(cutOff, THREAD, turnOf(1));
    await runner.finish(cutOff, { outcome: 'failed', failureKind: 'agent_error' });
    await world.pass(60_000);
    const again = await runner.accept(runner.offer());
    const { continuationPrompt: repeated } = await specOf({ ...scene, lease: again });
    expect(repeated).toContain('You may change the repository now.');
    await runner.events(again, THREAD, turnOf(1), checkpoint({}));
    await runner.finish(again, { outcome: 'completed', marker: null });
    await world.pass(5_000);
    const later = await runner.accept(runner.offer());
    const { prompt, continuationPrompt } = await specOf({ ...scene, lease: later });
    expect(continuationPrompt).toContain('from where you left off');
    expect(continuationPrompt).not.toContain('You may change the repository now.');
    // An agent that cannot resume the thread still works by the plan.
    expect(prompt).toContain('1. Add the page.');
  });

  it('is worked on by the plan as a person edited it', async () => {
    const scene = await sceneWithPlanner();
    const { world } = scene;
    await handIn(scene);
    await decide(world, { plan: ['Approve'], edited_plan: ['1. Add two pages.'] });
    const { prompt } = await specOf({ ...scene, lease: await next(scene) });
    expect(prompt).toContain('1. Add two pages.');
    expect(prompt).not.toContain('1. Add the page.');
  });

  it('is planned anew with what a person says, as often as that happens', async () => {
    const scene = await sceneWithPlanner();
    const { world, identifier } = scene;
    await handIn(scene, ASKING);
    await decide(world, { plan: ['Rather two pages.'], question_1: ['Blue'] });
    expect(await world.issue(identifier)).toMatchObject({
      status: 'queued',
      reason: 'sent back by the local user',
    });
    const again = { ...scene, lease: await next(scene) };
    const { continuationPrompt, readOnly } = await specOf(again);
    expect(readOnly).toBe(true);
    expect(continuationPrompt).toContain('hand in the whole plan');
    expect(continuationPrompt).toContain('Rather two pages.\n\nWhich colour?\nBlue');
    await handIn(again, '## Steps\n1. Add two pages.');
    expect((await waiting(world)).plan).toMatchObject({ text: '## Steps\n1. Add two pages.' });
    await decide(world, { plan: ['Approve'] });
    const { prompt } = await specOf({ ...scene, lease: await next(again) });
    expect(prompt).toContain('1. Add two pages.');
    const attempts = await attemptsOf(scene);
    expect(attempts.map(({ kind }) => kind)).toEqual(['work', 'plan', 'plan']);
  });

  it('is not worked on by a plan that a later attempt made unnecessary to decide', async () => {
    const scene = await sceneWithPlanner();
    const { world, identifier } = scene;
    await handIn(scene);
    const { requestId } = await waiting(world);
    await callCore(world, 'POST', `/api/v1/${identifier}/retry`, {});
    expect(await requestsOf(world)).toEqual([]);
    const late = await callCore(world, 'POST', `/api/v1/requests/${requestId}/answer`, {
      answers: { plan: ['Approve'] },
    });
    expect(late.status).toBe(409);
    expect((await specOf({ ...scene, lease: await next(scene) })).readOnly).toBe(true);
  });

  it('keeps the work that was begun before its plan', async () => {
    const scene = await sceneWithPlanner({ byLabel: { risky: 'ask' } });
    const { world, runner, identifier } = scene;
    const { branch, commitSha, baseCommit, diffStat } = DELIVERY;
    await runner.events(scene.lease, checkpoint({ commitSha, baseCommit, diffStat }));
    await runner.finish(scene.lease, { outcome: 'completed', marker: 'BLOCKED', summary: branch });
    await world.editIssue(identifier, { labels: ['risky'] });
    await world.pass(60_000);
    const planned = { ...scene, lease: await next(scene) };
    expect((await specOf(planned)).readOnly).toBe(true);
    const sessionBlob = `attempts/${planned.lease.attemptId}/1/session-1`;
    await runner.events(planned.lease, THREAD, turnOf(1), checkpoint({ sessionBlob }));
    await handIn(planned);
    await decide(world, { plan: ['Approve'] });
    expect(await specOf({ ...scene, lease: await next(scene) })).toMatchObject({
      resume: { commitSha, baseCommit, sessionBlob },
    });
  });

  it.each([
    [{ plan: [' '] }, 'answer the question plan with Approve'],
    [{ question_1: ['Blue'] }, 'answer the question plan with Approve'],
    [{ plan: ['Approve'], edited_plan: [' '] }, 'edited_plan must not be empty'],
    [{ plan: ['No.'], edited_plan: ['x'] }, 'edited_plan is given with an approval only'],
    [{ plan: ['x'.repeat(12_001)] }, 'the answers have more than 12000 characters'],
    [
      { plan: ['Approve'], edited_plan: ['x'.repeat(11_000), 'x'.repeat(11_000)] },
      'edited_plan has more than 20000 characters',
    ],
    [{ plan: ['Approve'], colour: ['x'] }, 'answer the questions plan, question_1, edited_plan'],
  ])('refuses the answer %j', async (answers, message) => {
    const scene = await sceneWithPlanner();
    await handIn(scene, ASKING);
    const { status, body } = await decide(scene.world, answers);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(message);
    await waiting(scene.world);
  });

  it('tries again when the agent hands in nothing, and no more often than other work', async () => {
    const scene = await sceneWithPlanner();
    const { world, runner, identifier } = scene;
    await handIn(scene, '');
    expect(await world.issue(identifier)).toMatchObject({
      status: 'retrying',
      reason: 'the agent ended its planning without a plan',
    });
    let planned = scene;
    for (let count = 0; count < 5; count += 1) {
      await world.pass(600_000);
      planned = { ...scene, lease: await runner.accept(runner.offer()) };
      await handIn(planned, '');
    }
    expect(await world.issue(identifier)).toMatchObject({ status: 'failed' });
  });

  it('starts nothing when a person has stopped its planning', async () => {
    const scene = await sceneWithPlanner({ mode: 'auto' });
    const { world, identifier } = scene;
    await callCore(world, 'POST', `/api/v1/${identifier}/abort`, {});
    await handIn(scene);
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
    expect(await requestsOf(world)).toEqual([]);
  });

  it('says so when nobody has decided its plan in 30 days, and can be planned anew', async () => {
    const scene = await sceneWithPlanner();
    const { world, runner, identifier } = scene;
    await handIn(scene);
    await world.pass(31 * 86_400_000);
    await runner.hello();
    expect(await world.issue(identifier)).toMatchObject({
      status: 'blocked',
      reason_code: 'plan_expired',
    });
    expect(await requestsOf(world)).toEqual([]);
    await callCore(world, 'POST', `/api/v1/${identifier}/retry`, {});
    expect((await specOf({ ...scene, lease: await next(scene) })).readOnly).toBe(true);
  });

  it('delivers nothing of what an agent that plans says it delivered', async () => {
    const scene = await sceneWithPlanner();
    const { world, runner, lease, identifier } = scene;
    await runner.finish(lease, {
      outcome: 'completed',
      marker: 'DONE',
      summary: PLAN,
      delivery: DELIVERY,
    });
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({
      reason_code: 'plan_waiting',
      pull_request_url: null,
    });
  });
});

describe('who may begin without a person', () => {
  it.each([
    ['all issues', { mode: 'auto' }, {}, 'queued'],
    ['a repository', { mode: 'ask' }, { route: { plan: 'auto' } }, 'queued'],
    ['a repository that asks', { mode: 'auto' }, { route: { plan: 'ask' } }, 'blocked'],
    ['a state', { byState: { ' todo ': 'ask' } }, { route: { plan: 'auto' } }, 'blocked'],
    [
      'the strictest label',
      { byState: { todo: 'auto' }, byLabel: { Big: 'ask', small: 'auto' } },
      { labels: ['small', 'big'] },
      'blocked',
    ],
  ])('is decided for %s', async (_name, plan, given, status) => {
    const scene = await sceneWithPlanner(plan, given);
    await handIn(scene);
    expect(await scene.world.issue(scene.identifier)).toMatchObject({ status });
  });

  it('is decided by the state that the issue had before its plan was begun', async () => {
    const scene = await sceneWithPlanner({ byState: { todo: 'ask' } });
    const { world, identifier } = scene;
    expect(await world.issue(identifier)).toMatchObject({ state: 'In Progress' });
    await handIn(scene);
    await decide(world, { plan: ['Another one, please.'] });
    const again = { ...scene, lease: await next(scene) };
    expect((await specOf(again)).readOnly).toBe(true);
    await handIn(again);
    expect(await world.issue(identifier)).toMatchObject({ status: 'blocked' });
  });

  it('begins by itself where the policy approves plans, and says so', async () => {
    const scene = await sceneWithPlanner({ mode: 'auto' });
    await handIn(scene);
    const { readOnly, prompt } = await specOf({ ...scene, lease: await next(scene) });
    expect(readOnly).toBeUndefined();
    expect(prompt).toContain('1. Add the page.');
    expect(await requestsOf(scene.world, 'resumed')).toMatchObject([
      { answers: { plan: ['Approve'] }, answeredBy: 'service' },
    ]);
  });

  it('asks a person all the same where the plan had to be cut', async () => {
    const scene = await sceneWithPlanner({ mode: 'auto' });
    await handIn(scene, `${PLAN}\n${'x'.repeat(21_000)}`);
    expect((await waiting(scene.world)).plan?.text).toHaveLength(20_000);
  });

  it('asks a person all the same where the plan has a question', async () => {
    const scene = await sceneWithPlanner({ mode: 'auto' });
    await handIn(scene, ASKING);
    await waiting(scene.world);
    expect(await scene.world.issue(scene.identifier)).toMatchObject({ status: 'blocked' });
  });

  it('plans nothing where a label takes an issue out', async () => {
    const scene = await sceneWithPlanner(
      { mode: 'ask', byLabel: { trivial: 'off' } },
      { labels: ['trivial'] },
    );
    expect(await attemptsOf(scene)).toMatchObject([{ kind: 'work' }]);
  });
});

describe('a plan in the tracker', () => {
  it('stands in a comment of its own, with how to decide it', async () => {
    const scene = await sceneWithPlanner();
    const { world, identifier } = scene;
    await handIn(scene, `<img src=x> @everyone\n\n${ASKING}`);
    await world.tick();
    const { body } = await callCore(world, 'GET', `/api/v1/local/issues/${identifier}/comments`);
    const { comments } = body as { comments: { body: string }[] };
    const ofPlan = ({ body: text }: { body: string }) => text.includes(': plan (attempt 1)');
    const plan = comments.find(ofPlan)?.body ?? '';
    expect(plan).toContain('Add the page.');
    expect(plan).toContain('Comment `approve` to begin the work');
    expect(plan).toContain('`<img src=x>` @\u200beveryone');
    const status = comments.find((each) => each.body.includes('has made a plan'))?.body ?? '';
    expect(status).toContain('Which colour?');
    expect(status).not.toContain('Approve the plan, or say');
    await decide(world, { plan: ['Approve'], edited_plan: ['Other.'] });
    await world.tick();
    const later = await callCore(world, 'GET', `/api/v1/local/issues/${identifier}/comments`);
    const after = (later.body as { comments: { body: string }[] }).comments.filter(ofPlan);
    expect(after.map(({ body: text }) => text.split('\n').at(-1))).toEqual([
      'It was approved, as it was edited.',
    ]);
  });

  it.each(['approve', '/approve', 'Approved.'])('is approved by the comment %s', async (text) => {
    const scene = await sceneWithPlanner();
    const { world } = scene;
    await handIn(scene);
    await comment(scene, text);
    await comment(scene, text);
    expect(await world.issue(scene.identifier)).toMatchObject({
      status: 'queued',
      reason_code: 'plan_approved',
    });
    const { readOnly, prompt } = await specOf({ ...scene, lease: await next(scene) });
    expect(readOnly).toBeUndefined();
    expect(prompt).not.toContain('What people have said meanwhile');
  });

  it('is not approved by a comment that is older than it', async () => {
    const scene = await sceneWithPlanner();
    const { world, identifier } = scene;
    await world.pass(120_000);
    await handIn(scene);
    await comment(scene, 'approve', 60_000);
    await waiting(world);
    expect(await world.issue(identifier)).toMatchObject({ status: 'blocked' });
  });

  it('is made anew after any other comment', async () => {
    const scene = await sceneWithPlanner();
    const { world } = scene;
    await handIn(scene);
    await comment(scene, 'I approve of the first step only.');
    expect(await requestsOf(world)).toEqual([]);
    const { readOnly, continuationPrompt } = await specOf({ ...scene, lease: await next(scene) });
    expect(readOnly).toBe(true);
    expect(continuationPrompt.split('I approve of the first step only.')).toHaveLength(2);
    const [sentBack] = await requestsOf(world, 'resumed');
    expect(sentBack).toMatchObject({ answeredBy: 'ada' });
  });

  it('stays, and says so, when the text of its issue changes', async () => {
    const scene = await sceneWithPlanner();
    const { world, identifier } = scene;
    await handIn(scene);
    await world.editIssue(identifier, { priority: 1 });
    await world.pass(60_000);
    expect((await waiting(world)).plan).toMatchObject({ isStale: false });
    await world.editIssue(identifier, { description: 'Two pages, please.' });
    await world.pass(60_000);
    expect((await waiting(world)).plan?.isStale).toBe(true);
    expect(await world.issue(identifier)).toMatchObject({ status: 'blocked' });
  });

  it('says so too when the text changed while it was made', async () => {
    const scene = await sceneWithPlanner();
    const { world, identifier } = scene;
    await world.editIssue(identifier, { title: 'Fix two builds' });
    await world.pass(60_000);
    await handIn(scene);
    expect((await waiting(world)).plan?.isStale).toBe(true);
  });

  it('waits for nobody once its issue is over', async () => {
    const scene = await sceneWithPlanner();
    const { world, identifier } = scene;
    await handIn(scene);
    await world.editIssue(identifier, { state: 'Done' });
    await world.pass(60_000);
    expect(await requestsOf(world)).toEqual([]);
    expect(await world.issue(identifier)).toMatchObject({ status: 'idle' });
  });
});
