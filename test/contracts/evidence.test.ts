import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { describe, expect, it } from 'vitest';
import { callCore } from '../support/core/call-core.ts';
import { DELIVERY, finishMessage, heldItem } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import {
  bodyOf,
  deliver,
  EVIDENCE,
  evidenceOf,
  PNG,
  sceneWithEvidence,
  artifactsEvent,
  upload,
  urlOf,
} from './evidence/scene-with-evidence.ts';
import type { RunningScene } from './runner-protocol/scene.ts';

const make = useCoreWorlds();

const answered = (scene: RunningScene, requestId: string, answers: Record<string, string[]>) =>
  callCore(scene.world, 'POST', `/api/v1/requests/${requestId}/answer`, { answers });

/** The agent asks, and gives the id of the request. */
async function ask(scene: RunningScene, more: Record<string, unknown> = {}): Promise<string> {
  const { world, runner, lease } = scene;
  const question = { id: 'q', header: 'Colour', question: 'Which colour?', options: [] };
  const requestId = `engine-${lease.seq}`;
  const questions = [{ ...question, isSecret: false, ...more }];
  await runner.events(lease, { kind: 'request', payload: { requestId, turnId: 't1', questions } });
  const { body } = await callCore(world, 'GET', '/api/v1/requests?state=asked');
  const { requests } = body as { requests: HumanRequest[] };
  const asked = requests.find((each) => each.questions[0]?.question === questions[0]?.question);
  if (asked === undefined) throw new Error('nothing was asked');
  return asked.requestId;
}

const TOKENS = { input: 10, cachedInput: 0, output: 5, reasoning: 0, total: 15 };
const OUTSIDE = { files: 2, paths: ['lib/a.ts', 'b\u202e.md'] };

describe('the evidence of an attempt', () => {
  it('is declared by the route, and told to runner and agent', async () => {
    const { world, lease } = await sceneWithEvidence(make);
    const { spec } = await world.attempt(lease.attemptId);
    expect(spec).toMatchObject(EVIDENCE);
    for (const prompt of [spec.prompt, spec.continuationPrompt]) {
      expect(prompt).toContain('Keep your changes to ` src/** `, ` docs/*.md `.');
      expect(prompt).toContain('in ` test-results/ `; at most 20 files, 5 MiB each.');
    }
  });
});

describe('evidence beside a pull request', () => {
  it('tells size, scope, attempts, questions and files of the work', async () => {
    const scene = await sceneWithEvidence(make);
    const { world, runner } = scene;
    await answered(scene, await ask(scene), { q: ['Blue', 'or green'] });
    await runner.events(scene.lease, { kind: 'usage', payload: { totals: TOKENS, own: TOKENS } });
    await runner.finish(scene.lease, { outcome: 'failed', failureKind: 'agent_error' });
    await world.pass(60_000);
    scene.lease = await runner.accept(runner.offer());
    const png = await upload(scene, 'home.png', PNG, 'image/png');
    await runner.events(
      scene.lease,
      { kind: 'usage', payload: { totals: TOKENS, own: TOKENS } },
      artifactsEvent([png]),
    );
    await deliver(scene, { outsideScope: OUTSIDE });
    expect(await evidenceOf(scene)).toMatchObject({
      changes: { files: 1, insertions: 2, deletions: 0 },
      outsideScope: { files: 2, paths: ['lib/a.ts', 'b.md'] },
      attempts: [
        { number: 1, status: 'failed' },
        { number: 2, status: 'completed', outcome: 'completed' },
      ],
      attemptCount: 2,
      usage: { tokens: 30 },
      questions: [{ question: 'Which colour?', answer: 'Blue, or green', answeredBy: 'local' }],
      questionCount: 1,
      files: [{ path: 'home.png' }],
    });
    const body = await bodyOf(scene);
    expect(body).toContain(
      [
        '## How it was made',
        '',
        '- 1 file changed (+2 −0)',
        '- 2 files are outside the declared scope: ` lib/a.ts `, ` b.md `',
        '- 2 attempts',
        '- 1 question asked, 1 answered',
        `- Files that the agent left for review, [shown together](<http://127.0.0.1:4000/issues/${scene.identifier}?attempt=${scene.lease.attemptId}>):`,
        `  - [\` home.png \`](<http://127.0.0.1:4000${urlOf(scene, png)}>) (10 B)`,
      ].join('\n'),
    );
    expect(body).not.toMatch(/tokens|green/);
    const comments = await callCore(
      world,
      'GET',
      `/api/v1/local/issues/${scene.identifier}/comments`,
    );
    expect(JSON.stringify(comments.body)).toContain(
      '1 file changed (+2 −0), 2 outside the declared scope. 2 attempts, 1 question answered, 1 file left for review.',
    );
    // Of an attempt, only what was up to it.
    const [first] = (await evidenceOf(scene)).attempts;
    scene.lease = { ...scene.lease, attemptId: first?.attemptId ?? '' };
    expect(await evidenceOf(scene)).toMatchObject({
      changes: null,
      outsideScope: null,
      attemptCount: 1,
      usage: { tokens: 15 },
      files: [],
    });
  });

  it('has usage and what was said where the route says so, without secrets', async () => {
    const scene = await sceneWithEvidence(make, { ...EVIDENCE, evidence: 'full' });
    scene.world.deps.redactor.hide('hunter2-of-the-shop');
    await answered(scene, await ask(scene), { q: ['hunter2-of-the-shop'] });
    await answered(scene, await ask(scene, { question: 'Which key?', isSecret: true }), {
      q: ['s3cret-answer'],
    });
    await ask(scene, { question: 'Anybody?' });
    await scene.runner.events(scene.lease, {
      kind: 'usage',
      payload: { totals: TOKENS, own: TOKENS },
    });
    await deliver(scene);
    const body = await bodyOf(scene);
    expect(body).toContain('- 3 questions asked, 2 answered');
    expect(body).toContain('- 15 tokens');
    expect(body).toMatch(/Answered by local:\n\n> .*redacted/);
    expect(body).toContain('Answered by local; the answer is a secret.');
    expect(body).toContain('> Anybody?\n\nNobody answered.');
    const artifactsEvent = JSON.stringify(await evidenceOf(scene));
    expect(body + artifactsEvent).not.toMatch(/hunter2|s3cret/);
    expect((await evidenceOf(scene)).questions).toMatchObject([
      { answer: '[redacted]' },
      { question: 'Which key?', answer: null, answeredBy: 'local' },
      { question: 'Anybody?', answer: null, answeredBy: null },
    ]);
  });

  it('is in a draft of unfinished work too, with what is handed in there', async () => {
    const scene = await sceneWithEvidence(make);
    const { world, runner, identifier } = scene;
    const png = await upload(scene, 'home.png', PNG, 'image/png');
    const { branch, baseBranch, baseCommit } = DELIVERY;
    const workspace = { key: 'SY-1', path: '/w/SY-1', durationMs: 5, created: true };
    const checkpoint = { ordinal: 1, trigger: 'turn_completed', threadId: null, turnId: null };
    await runner.events(
      scene.lease,
      { kind: 'workspace', payload: { ...workspace, branch, baseBranch, baseCommit } },
      {
        kind: 'checkpoint',
        payload: {
          ...checkpoint,
          commitSha: 'c'.repeat(40),
          baseCommit,
          sessionBlob: null,
          diffBlob: null,
          diffStat: { files: 7, insertions: 8, deletions: 9 },
          tokens: TOKENS,
        },
      },
      artifactsEvent([png]),
    );
    await runner.finish(scene.lease, { marker: 'BLOCKED', summary: 'I need a key.' });
    const answer = callCore(world, 'POST', `/api/v1/${identifier}/publish`);
    const pushed = async () => {
      const [call] = world.core.sockets
        .take(runner.runnerId)
        .filter((message) => message.type === 'call');
      if (call === undefined) throw new Error('no push was asked for');
      const value = { pushed: true, baseBranch: 'main' };
      await runner.send({ type: 'result', callId: call.callId, ok: true, value });
      return true;
    };
    await expect.poll(pushed).toBe(true);
    expect(await answer).toMatchObject({ status: 201 });
    const body = await bodyOf(scene);
    expect(body).toContain('- 7 files changed (+8 −9)\n');
    expect(body).toContain('[` home.png `]');
  });

  it('counts what a runner tells late', async () => {
    const scene = await sceneWithEvidence(make);
    const { world, runner, lease, identifier } = scene;
    world.core.sockets.disconnect(runner.runnerId);
    world.clock.advance(
      world.deps.service.leaseTimes.ttlMs + world.deps.service.leaseTimes.graceMs,
    );
    await world.tick();
    await runner.hello({ held: [heldItem(lease)] });
    const delivery = { ...DELIVERY, outsideScope: OUTSIDE };
    await runner.sendOne(finishMessage(lease, { marker: 'DONE', delivery }));
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ status: 'completed' });
    expect((await evidenceOf(scene)).outsideScope).toMatchObject({ files: 2 });
  });

  it('is there whatever ids an agent gives its questions, and where one is left open', async () => {
    const scene = await sceneWithEvidence(make);
    const more = { header: '', options: [], isSecret: false };
    const questions = ['a', 'constructor'].map((id) => ({ ...more, id, question: `${id}?` }));
    const payload = { requestId: 'engine-1', turnId: 't1', questions };
    await scene.runner.events(scene.lease, { kind: 'request', payload });
    const { body } = await callCore(scene.world, 'GET', '/api/v1/requests?state=asked');
    const [request] = (body as { requests: HumanRequest[] }).requests;
    await answered(scene, request?.requestId ?? '', { a: ['yes'] });
    await deliver(scene);
    expect((await evidenceOf(scene)).questions).toMatchObject([
      { question: 'a?', answer: 'yes', answeredBy: 'local' },
      { question: 'constructor?', answer: null, answeredBy: null },
    ]);
    expect(await bodyOf(scene)).toContain('- 2 questions asked, 1 answered');
  });

  it('is there for work of a runner that tells nothing of it', async () => {
    const scene = await sceneWithEvidence(make);
    await deliver(scene);
    expect(await evidenceOf(scene)).toMatchObject({
      changes: { files: 1 },
      outsideScope: null,
      files: [],
      filesLeftOut: 0,
    });
    expect(await bodyOf(scene)).toContain('## How it was made\n\n- 1 file changed (+2 −0)\n\n---');
  });

  it('is not taken where the repository declares nothing', async () => {
    const scene = await sceneWithEvidence(make, {});
    const png = await upload(scene, 'home.png', PNG, 'image/png');
    await scene.runner.events(scene.lease, artifactsEvent([png]));
    await deliver(scene, { outsideScope: OUTSIDE });
    expect(await evidenceOf(scene)).toMatchObject({ outsideScope: null, files: [] });
    const { spec } = await scene.world.attempt(scene.lease.attemptId);
    expect(spec.prompt).not.toContain('## Scope and evidence');
  });

  it('cannot say that fewer files are outside the scope than it names', async () => {
    const scene = await sceneWithEvidence(make);
    await deliver(scene, { outsideScope: { files: 0, paths: ['a', 'b'] } });
    expect((await evidenceOf(scene)).outsideScope).toEqual({ files: 2, paths: ['a', 'b'] });
  });
});
