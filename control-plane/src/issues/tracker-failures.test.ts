import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../test/support/core/runner-peers.ts';
import { type JobRow, jobs } from '../db/schema/operation/jobs.ts';
import { enqueueComment } from '../jobs/queue/enqueue-effect.ts';
import { MAX_TRIES } from '../jobs/queue/run-jobs.ts';
import { logTransition, TRACKER_ACTOR } from './rows/log-transition.ts';
import { trackerFailures } from './tracker-failures.ts';

describe('what a tracker did not take', () => {
  let world: CoreWorld;
  let identifier: string;
  let at: number;
  beforeEach(async () => {
    world = await createCoreWorld(openFramePeer);
    identifier = await world.createIssue();
    at = 0;
  });
  afterEach(() => world.close());

  const shown = async () => trackerFailures(world.deps, await world.issue(identifier));
  /** A job of the issue, later than those before. */
  async function add(kind: string, job: Partial<JobRow> = {}): Promise<void> {
    const { id } = await world.issue(identifier);
    at += 1_000;
    await world.deps.db.insert(jobs).values({
      key: `${kind}:${at}`,
      kind,
      tracker: 'local',
      issue_id: id,
      payload: kind === 'tracker.transition' ? { role: 'review' } : {},
      due_at_ms: at + 500,
      created_at_ms: at,
      ...job,
    });
  }
  const FAILING = { status: 'pending', tries: 2, last_error: 'no' } as const;
  const GIVEN_UP = { status: 'dead', tries: MAX_TRIES, last_error: 'no' } as const;

  it('is the newest failure of each change, with the state that was wished', async () => {
    await add('tracker.transition', { ...GIVEN_UP, payload: { role: 'started' } });
    await add('tracker.comment', FAILING);
    await add('tracker.transition', FAILING);
    await add('workspace.remove', FAILING);
    expect(await shown()).toEqual([
      {
        change: 'state',
        state: 'In Review',
        error: 'no',
        tries: 2,
        nextTryAt: new Date(at - 1_000 + 500).toISOString(),
      },
      expect.objectContaining({ change: 'comment', state: null, tries: 2 }),
    ]);
  });

  it('is over once a later change of its kind was made, not by one that waits', async () => {
    await add('tracker.attach', GIVEN_UP);
    await add('tracker.attach');
    expect(await shown()).toMatchObject([{ change: 'link', nextTryAt: null }]);
    await add('tracker.attach', { status: 'done', done_at_ms: at });
    expect(await shown()).toEqual([]);
  });

  it('is over with the next wish for the same', async () => {
    const { id: issueId } = await world.issue(identifier);
    const subject = { tracker: 'local', issueId, attemptId: null };
    const wish = () => world.deps.db.batch([enqueueComment(world.deps.db, 5, subject)]);
    await wish();
    await world.deps.db.update(jobs).set(GIVEN_UP);
    expect(await shown()).toHaveLength(1);
    await wish();
    expect(await shown()).toEqual([]);
  });

  it('is over when it was given up and the issue has been moved since', async () => {
    await add('tracker.transition', GIVEN_UP);
    expect(await shown()).toHaveLength(1);
    const issue = await world.issue(identifier);
    const move = { issue, from: 'Todo', to: 'Done', reason: null, actor: TRACKER_ACTOR };
    await world.deps.db.batch([logTransition(world.deps.db, at + 1, move)]);
    expect(await shown()).toEqual([]);
  });

  it('is no session that people ended', async () => {
    await add('tracker.agent_session', { ...GIVEN_UP, tries: 1 });
    expect(await shown()).toEqual([]);
    await add('tracker.agent_session', GIVEN_UP);
    expect(await shown()).toMatchObject([{ change: 'session' }]);
  });

  it('is told of no tracker that is not configured', async () => {
    await add('tracker.comment', GIVEN_UP);
    expect(
      await trackerFailures({ ...world.deps, trackers: new Map() }, await world.issue(identifier)),
    ).toEqual([]);
  });
});
