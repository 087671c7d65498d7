import type { MergeQueue } from '@switchyard/shared/api/pull-requests/merge-queue';
import type { Review, ReviewList } from '@switchyard/shared/api/pull-requests/review';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { MERGE_FEATURE, REVIEW_FEATURE } from '@switchyard/shared/protocol/features';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import { describe, expect, it } from 'vitest';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { issueByIdentifier } from '../../control-plane/src/issues/queries.ts';
import { callCore } from '../support/core/call-core.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { DELIVERY, type Lease, scriptRunner } from '../support/core/scripted-runner.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';

const make = useCoreWorlds();
const URL = 'file:///srv/repositories/shop';
const FINDING = { severity: 'must', path: 'src/a.ts', line: 3, text: 'It divides by zero.' };
const SECOND = '2'.repeat(40);

type Offer = ControlPlaneMessageOf<'offer'>;

/** A world whose repository has a review policy, with a runner that can review and merge. */
async function sceneWith(
  review: Record<string, unknown> | null,
  { route = {}, features = [REVIEW_FEATURE, MERGE_FEATURE], config = {} } = {},
) {
  const routes = [{ prefix: 'SY', url: URL, ...(review && { review }), ...route }];
  const world = await make({ SERVICE_CONFIG__repos: JSON.stringify(routes), ...config });
  const runner = scriptRunner(world, await world.join([]), 3);
  await runner.hello({ features });
  return { world, runner };
}
type Scene = Awaited<ReturnType<typeof sceneWith>>;

const only = ({ runner }: Scene): Offer => {
  const offers = runner.offers();
  if (offers[0] === undefined || offers.length !== 1) throw new Error(`${offers.length} offers`);
  return offers[0];
};

async function deliver(scene: Scene, offer: Offer, commitSha = DELIVERY.commitSha) {
  const lease = await scene.runner.accept(offer);
  const delivery = { ...DELIVERY, branch: offer.spec.branch ?? '', commitSha };
  await scene.runner.finish(lease, { marker: 'DONE', summary: 'done', delivery });
  await settle(scene);
}

/** An issue whose agent has delivered its work as a pull request. */
async function delivered(scene: Scene): Promise<{ identifier: string; id: string }> {
  const identifier = await scene.world.createIssue({});
  await scene.world.tick();
  await deliver(scene, only(scene));
  const { body } = await callCore(scene.world, 'GET', `/api/v1/${identifier}/pull-request`);
  return { identifier, id: (body as IssuePullRequest).pullRequest.id };
}

async function settle({ world }: Scene) {
  world.clock.advance(1_000);
  await world.tick();
  await world.tick();
}

const handedIn = (value: unknown) => `I read it.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;
const APPROVED = handedIn({ verdict: 'approve', summary: 'Fine.' });
const CHANGES = handedIn({ verdict: 'request_changes', summary: 'Not yet.', findings: [FINDING] });

async function endReview(scene: Scene, lease: Lease, summary: string) {
  await scene.runner.finish(lease, { marker: 'DONE', summary });
  await settle(scene);
}

/** Accepts the offered review and ends it with this message. */
async function review(scene: Scene, summary: string): Promise<Offer> {
  const offer = only(scene);
  expect(offer.spec.review).toBeDefined();
  await endReview(scene, await scene.runner.accept(offer), summary);
  return offer;
}

async function reviews(world: CoreWorld, id: string): Promise<Review[]> {
  const { body } = await callCore(world, 'GET', `/api/v1/pull-requests/${id}/reviews`);
  return (body as ReviewList).reviews;
}
const ask = (world: CoreWorld, id: string) =>
  callCore(world, 'POST', `/api/v1/pull-requests/${id}/review`);

async function detail(world: CoreWorld, identifier: string): Promise<IssueDetail> {
  return (await callCore(world, 'GET', `/api/v1/${identifier}`)).body;
}

describe('a pull request that is reviewed', () => {
  it('is read at exactly its commit by an agent that knows the issue and changes nothing', async () => {
    const instructions = 'Look at the queries.';
    const scene = await sceneWith({ mode: 'advise', instructions });
    const { identifier, id } = await delivered(scene);
    const offer = only(scene);
    const commits = { expectedCommit: DELIVERY.commitSha, baseCommit: DELIVERY.baseCommit };
    expect(offer.spec).toMatchObject({
      readOnly: true,
      review: commits,
      resume: { commitSha: DELIVERY.commitSha, baseCommit: DELIVERY.baseCommit },
    });
    expect(offer.spec).not.toHaveProperty('resumeThreadId');
    expect(offer.spec.prompt).toContain(`git diff ${DELIVERY.baseCommit} ${DELIVERY.commitSha}`);
    expect(offer.spec.prompt).toContain(instructions);
    expect(await detail(scene.world, identifier)).toMatchObject({
      status: 'queued',
      attempts: [{ kind: 'review' }, { kind: 'work' }],
    });
    expect(await reviews(scene.world, id)).toMatchObject([
      { number: 1, state: 'running', verdict: null, askedBy: 'service' },
    ]);
    await endReview(scene, await scene.runner.accept(offer), APPROVED);
    expect(await reviews(scene.world, id)).toMatchObject([
      { state: 'done', verdict: 'approved', summary: 'Fine.', findings: [], returned: false },
    ]);
    const { engine } = (await detail(scene.world, identifier)).attempts[0] ?? {};
    expect((await reviews(scene.world, id))[0]?.engine).toBe(engine);
    const issue = await detail(scene.world, identifier);
    expect(issue).toMatchObject({ status: 'completed', reasonCode: 'pull_request_opened' });
    expect(issue.attempts[0]).toMatchObject({ kind: 'review', reasonCode: 'review_approved' });
    expect(scene.runner.offers()).toEqual([]);
  });

  it('goes back to its author’s thread with the findings, and is reviewed again', async () => {
    const scene = await sceneWith({ mode: 'require' });
    const { id, identifier } = await delivered(scene);
    await review(scene, CHANGES);
    expect(await reviews(scene.world, id)).toMatchObject([
      { state: 'done', verdict: 'changes_requested', findings: [FINDING], returned: true },
    ]);
    const again = only(scene);
    expect(again.spec).not.toHaveProperty('review');
    expect(again.spec).not.toHaveProperty('readOnly');
    expect(again.spec.prompt).toContain('It divides by zero.');
    expect(again.spec.prompt).toContain('"src/a.ts", line 3');
    const { world } = scene;
    const row = (await detail(world, identifier)).attempts;
    expect(row.map(({ kind }) => kind)).toEqual(['work', 'review', 'work']);
    await deliver(scene, again, SECOND);
    const second = await review(scene, APPROVED);
    expect(second.spec.review?.expectedCommit).toBe(SECOND);
    expect(await reviews(world, id)).toMatchObject([
      { number: 2, verdict: 'approved', commitSha: SECOND },
      { number: 1, verdict: 'changes_requested', commitSha: DELIVERY.commitSha },
    ]);
  });

  it('is left to a person after the rounds of its policy', async () => {
    const scene = await sceneWith({ mode: 'require', max_rounds: 1 });
    const { id, identifier } = await delivered(scene);
    await review(scene, CHANGES);
    await deliver(scene, only(scene), SECOND);
    await review(scene, CHANGES);
    expect(scene.runner.offers()).toEqual([]);
    expect(await detail(scene.world, identifier)).toMatchObject({
      status: 'completed',
      reasonCode: 'feedback_limit',
    });
    expect((await reviews(scene.world, id)).map(({ returned }) => returned)).toEqual([false, true]);
  });

  it('is left to a person when its agent changes nothing', async () => {
    const scene = await sceneWith({ mode: 'require' });
    const { identifier } = await delivered(scene);
    await review(scene, CHANGES);
    const lease = await scene.runner.accept(only(scene));
    await scene.runner.finish(lease, { marker: 'DONE', summary: 'I disagree.' });
    await settle(scene);
    expect(scene.runner.offers()).toEqual([]);
    expect(await detail(scene.world, identifier)).toMatchObject({
      status: 'completed',
      reasonCode: 'review_changes_requested',
    });
  });

  it('is reviewed again some times when the review cannot be read, and then not', async () => {
    const scene = await sceneWith({ mode: 'require' });
    const { id, identifier } = await delivered(scene);
    for (let tries = 0; tries < 3; tries += 1) {
      await review(scene, 'I like it.');
      scene.world.clock.advance(120_000);
      await settle(scene);
    }
    expect(scene.runner.offers()).toEqual([]);
    expect(await reviews(scene.world, id)).toMatchObject([
      {
        number: 1,
        state: 'failed',
        reason: expect.stringContaining('without one that can be read'),
      },
    ]);
    expect(await detail(scene.world, identifier)).toMatchObject({
      status: 'completed',
      reasonCode: 'review_failed',
    });
  });

  it('counts as no try of the work, and is no work', async () => {
    const scene = await sceneWith({ mode: 'advise' });
    const { identifier } = await delivered(scene);
    const before = await row(scene, identifier);
    await review(scene, APPROVED);
    const after = await row(scene, identifier);
    expect(after).toMatchObject({
      run_count: before.run_count,
      thread_id: before.thread_id,
      branch: before.branch,
      reviewing: null,
    });
  });
});

async function row({ world }: Scene, identifier: string) {
  const found = await issueByIdentifier(world.deps.db, identifier);
  if (found === null) throw new Error(`no issue ${identifier}`);
  return found;
}

describe('who reviews', () => {
  it('is a runner with the feature', async () => {
    const scene = await sceneWith({ mode: 'advise' }, { features: [] });
    const { identifier } = await delivered(scene);
    expect(scene.runner.offers()).toEqual([]);
    expect(await detail(scene.world, identifier)).toMatchObject({
      status: 'queued',
      reason: expect.stringContaining('feature review'),
    });
  });

  it('is the engine that the policy names', async () => {
    const choices = [{ name: 'second', engine: 'codex', model: 'other-model' }];
    const config = { SERVICE_CONFIG__engine__choices: JSON.stringify(choices) };
    const scene = await sceneWith({ mode: 'require', engine: 'second' }, { config });
    await delivered(scene);
    expect(only(scene).spec.engine.model).toBe('other-model');
  });

  it('is nobody while dispatch cannot offer it: a person is asked', async () => {
    const scene = await sceneWith({ mode: 'require' }, { features: [] });
    const { id, identifier } = await delivered(scene);
    const { db } = scene.world.deps;
    await db.update(issues).set({ status: 'idle', reason: 'cannot be read' });
    await settle(scene);
    expect(await reviews(scene.world, id)).toMatchObject([
      { state: 'failed', reason: 'cannot be read' },
    ]);
    expect(await detail(scene.world, identifier)).toMatchObject({
      status: 'completed',
      reasonCode: 'review_failed',
    });
  });
});

describe('a review and people', () => {
  it('is asked for where no policy asks for it, and gives the agent nothing', async () => {
    const scene = await sceneWith(null);
    const { id, identifier } = await delivered(scene);
    expect(scene.runner.offers()).toEqual([]);
    expect((await ask(scene.world, id)).status).toBe(200);
    await scene.world.tick();
    expect((await ask(scene.world, id)).status).toBe(409);
    await review(scene, CHANGES);
    expect(await reviews(scene.world, id)).toMatchObject([{ returned: false, number: 1 }]);
    const { reasonCode } = await detail(scene.world, identifier);
    expect(reasonCode).toBe('pull_request_opened');
    expect(scene.runner.offers()).toEqual([]);
  });

  it('is refused for one that is unknown or closed', async () => {
    const scene = await sceneWith(null);
    const { id } = await delivered(scene);
    expect((await ask(scene.world, 'pr_none')).status).toBe(404);
    await callCore(scene.world, 'POST', `/api/v1/local/pull-requests/${id}/close`);
    expect((await ask(scene.world, id)).status).toBe(409);
  });

  it('stops when the pull request is closed, and is not begun again', async () => {
    const scene = await sceneWith({ mode: 'require' });
    const { id } = await delivered(scene);
    const lease = await scene.runner.accept(only(scene));
    await callCore(scene.world, 'POST', `/api/v1/local/pull-requests/${id}/close`);
    await settle(scene);
    await scene.runner.finish(lease, { outcome: 'cancelled', marker: null });
    await settle(scene);
    expect(await reviews(scene.world, id)).toMatchObject([{ state: 'failed' }]);
    expect(scene.runner.offers()).toEqual([]);
  });

  it('keeps people from retrying the issue while it runs', async () => {
    const scene = await sceneWith({ mode: 'require' });
    const { identifier } = await delivered(scene);
    const answer = await callCore(scene.world, 'POST', `/api/v1/${identifier}/retry`);
    expect(answer).toMatchObject({ status: 409 });
  });
});

describe('a review that is required', () => {
  const merging = { merge: { mode: 'when-green' }, checks: [{ name: 'test', command: 'true' }] };
  async function queue(world: CoreWorld) {
    return ((await callCore(world, 'GET', '/api/v1/merge-queue')).body as MergeQueue).entries;
  }

  it('comes before the merge queue', async () => {
    const scene = await sceneWith({ mode: 'require' }, { route: merging });
    await delivered(scene);
    expect(await queue(scene.world)).toEqual([]);
    await review(scene, APPROVED);
    expect(await queue(scene.world)).toMatchObject([{ state: 'testing' }]);
    expect(only(scene).spec.merge?.expectedCommit).toBe(DELIVERY.commitSha);
  });

  it('holds what it does not approve', async () => {
    const scene = await sceneWith({ mode: 'require', max_rounds: 0 }, { route: merging });
    await delivered(scene);
    await review(scene, CHANGES);
    expect(await queue(scene.world)).toMatchObject([
      { state: 'held', reasonCode: 'merge_condition', reason: 'its review asks for changes' },
    ]);
  });

  it('holds nothing where it only advises', async () => {
    const scene = await sceneWith({ mode: 'advise', max_rounds: 0 }, { route: merging });
    await delivered(scene);
    await review(scene, CHANGES);
    expect(await queue(scene.world)).toMatchObject([{ state: 'testing' }]);
  });
});
