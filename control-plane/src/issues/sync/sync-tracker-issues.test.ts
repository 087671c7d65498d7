import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CoreWorld,
  createCoreWorld,
  PERSON,
} from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import { issueFingerprint } from '../../attempts/issue-fingerprint.ts';
import { issues } from '../../db/schema/work/issues.ts';
import { enqueueEffect } from '../../jobs/queue/enqueue-effect.ts';
import type { Tracker } from '../../ports/tracker/tracker.ts';
import { retryIssue } from '../actions/retry-issue.ts';
import { syncIssues, syncTrackerIssues } from './sync-tracker-issues.ts';

describe('a look at what changed in a tracker', () => {
  let world: CoreWorld;
  let sinceMs: number;
  /** Ids that the tracker was asked for, or `all`. */
  let asked: string[];
  beforeEach(async () => {
    world = await createCoreWorld(openFramePeer);
    asked = [];
  });
  afterEach(() => world.close());

  const tracker = (): Tracker => {
    const local = world.deps.trackers.get('local');
    if (local === undefined) throw new Error('no built-in tracker');
    return {
      ...local,
      fetchByStates: (states) => {
        asked.push('all');
        return local.fetchByStates(states);
      },
      fetchByIds: (ids) => {
        asked.push(...ids);
        return local.fetchByIds(ids);
      },
    };
  };
  const scope = (withActive = false) => ({ sinceMs, withActive });
  const look = () => syncTrackerIssues(world.deps, tracker(), scope());
  const later = () => {
    world.clock.advance(60_000);
    sinceMs = world.clock.nowMs();
  };

  it('sees what changed since, and asks for nothing else', async () => {
    await world.createIssue();
    later();
    expect(await look()).toMatchObject({ seen: 0, changed: 0 });
    const identifier = await world.createIssue();
    await world.deps.trackers.get('local')?.transition((await world.issue(identifier)).id, 'Done');
    expect(await look()).toMatchObject({ seen: 1, changed: 1 });
    const issue = await world.issue(identifier);
    expect(issue).toMatchObject({ state: 'Done' });
    // Once more, because it is elsewhere than it was known to be.
    expect(asked).toEqual([issue.id]);
  });

  it.each([
    { status: 'idle', reason_code: 'sub_issues_open' },
    { status: 'blocked', reason_code: 'sub_issues_canceled' },
  ] as const)(
    'sees what became of the sub-issue of an issue that is $status, whatever its own state',
    async (waiting) => {
      const parent = await world.createIssue({ state: 'Backlog' });
      const part = await world.createIssue({ parent });
      await world.deps.db.update(issues).set(waiting).where(eq(issues.identifier, parent));
      later();
      await world.deps.trackers.get('local')?.transition((await world.issue(part)).id, 'Done');
      await look();
      const sub_issues = [{ identifier: part, state: 'Done', terminal: true }];
      expect(await world.issue(parent)).toMatchObject({ status: waiting.status, sub_issues });
    },
  );

  describe('while the service itself moves an issue', () => {
    const COMPLETED = { status: 'completed', state: 'In Review' } as const;
    /** The service completes and moves the issue after the tracker was read, before the answer. */
    const overtaken = async () => {
      const identifier = await world.createIssue({ state: 'In Progress' });
      const { id } = await world.issue(identifier);
      let isDone = false;
      const complete = async <Answer>(answer: Answer): Promise<Answer> => {
        if (isDone) return answer;
        isDone = true;
        await world.deps.trackers.get('local')?.transition(id, 'In Review');
        await world.deps.db
          .update(issues)
          .set({ ...COMPLETED, parked_fingerprint: 'x', version: sql`${issues.version} + 1` });
        return answer;
      };
      const local = tracker();
      const slow: Tracker = {
        ...local,
        fetchByStates: async (states) => complete(await local.fetchByStates(states)),
        fetchByIds: async (ids) => complete(await local.fetchByIds(ids)),
        fetchChanged: async (since) => complete((await local.fetchChanged?.(since)) ?? []),
      };
      return { identifier, id, tracker: slow };
    };
    it('an older answer of changes does not take the move back', async () => {
      later();
      const stale = await overtaken();
      await syncTrackerIssues(world.deps, stale.tracker, scope());
      expect(await world.issue(stale.identifier)).toMatchObject(COMPLETED);
    });

    it('an older answer of everything does not either', async () => {
      const stale = await overtaken();
      await syncTrackerIssues(world.deps, stale.tracker);
      expect(await world.issue(stale.identifier)).toMatchObject(COMPLETED);
    });

    it('nor does one about a single issue', async () => {
      const stale = await overtaken();
      await syncIssues(world.deps, stale.tracker, [stale.id]);
      expect(await world.issue(stale.identifier)).toMatchObject(COMPLETED);
    });
  });

  it('also looks at what is active, if wanted', async () => {
    const identifier = await world.createIssue();
    await world.createIssue({ state: 'Done' });
    await world.deps.db.update(issues).set({ title: 'stale' });
    later();
    const seen = await syncTrackerIssues(world.deps, tracker(), scope(true));
    expect(seen).toMatchObject({ seen: 1, changed: 1 });
    expect(await world.issue(identifier)).toMatchObject({ title: 'Fix the build' });
  });

  it('looks at everything where no time is given, or the tracker cannot tell', async () => {
    await world.createIssue();
    later();
    const { fetchChanged: _, ...mute } = tracker();
    expect(await syncTrackerIssues(world.deps, tracker())).toMatchObject({ seen: 1 });
    expect(await syncTrackerIssues(world.deps, mute, scope())).toMatchObject({ seen: 1 });
    expect(asked).toEqual(['all', 'all']);
  });

  it('takes nothing from a replica that is behind what was shown already', async () => {
    const identifier = await world.createIssue({ state: 'In Progress' });
    const { id } = await world.issue(identifier);
    const local = tracker();
    const behind = await local.fetchByIds([id]);
    later();
    const seen = await world.deps.trackers.get('local')?.transition(id, 'In Review');
    const moved = { ...(await world.issue(identifier)), state: 'In Review' };
    await world.deps.db.update(issues).set({
      status: 'completed',
      state: 'In Review',
      updated_at_ms: seen?.updatedAtMs ?? 0,
      parked_fingerprint: issueFingerprint(moved),
    });
    const some = async () => behind;
    const replica = { ...local, fetchByStates: some, fetchChanged: some, fetchByIds: some };
    await syncTrackerIssues(world.deps, replica, scope(true));
    await syncIssues(world.deps, replica, [id]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'completed',
      state: 'In Review',
    });
    // It is not behind for ever: a time that was wrong hides nothing.
    world.clock.advance(600_000);
    await syncTrackerIssues(world.deps, replica, scope(true));
    expect(await world.issue(identifier)).toMatchObject({ status: 'idle', state: 'In Progress' });
  });

  it('takes a change that comes right after our own move', async () => {
    const identifier = await world.createIssue({ state: 'In Progress' });
    const { id } = await world.issue(identifier);
    later();
    await world.deps.trackers.get('local')?.transition(id, 'In Review');
    await look();
    await world.deps.trackers.get('local')?.transition(id, 'Todo');
    await look();
    expect(await world.issue(identifier)).toMatchObject({ state: 'Todo' });
  });

  it('frees an issue whose blocker has ended, and binds it again when that comes back', async () => {
    const blocker = await world.createIssue();
    const blocked = await world.createIssue({ blockedBy: [blocker] });
    later();
    await world.editIssue(blocker, { state: 'Done' });
    await look();
    expect(await world.issue(blocked)).toMatchObject({ dispatchable: true });
    later();
    await world.editIssue(blocker, { state: 'Todo' });
    await look();
    expect(await world.issue(blocked)).toMatchObject({ dispatchable: false });
  });

  it('takes an issue out of its retry that left long ago, or is gone', async () => {
    const left = await world.createIssue({ state: 'Backlog' });
    const gone = await world.createIssue();
    await world.deps.db.update(issues).set({ status: 'retrying' });
    await world.deps.db.update(issues).set({ next_retry_at_ms: world.clock.nowMs() + 600_000 });
    later();
    const forgetful = { ...tracker(), fetchByIds: (ids: readonly string[]) => some(ids) };
    const some = async (ids: readonly string[]) =>
      (await tracker().fetchByIds(ids)).filter((issue) => issue.identifier !== gone);
    await syncTrackerIssues(world.deps, forgetful, scope());
    expect(await world.issue(left)).toMatchObject({
      status: 'idle',
      reason: 'moved to Backlog in the tracker',
    });
    expect(await world.issue(gone)).toMatchObject({
      status: 'idle',
      reason: 'the issue is no longer in the tracker',
    });
  });

  it('leaves a retry alone that came before the move to review was made', async () => {
    const identifier = await world.createIssue({ state: 'In Progress' });
    const { id } = await world.issue(identifier);
    const { deps, clock } = world;
    await deps.db.update(issues).set({ status: 'completed' });
    const review = enqueueEffect(deps.db, clock.nowMs(), {
      key: 'review',
      effect: { kind: 'tracker.transition', role: 'review' },
      subject: { tracker: 'local', issueId: id, attemptId: null },
      repeat: false,
    });
    await deps.db.batch([review]);
    clock.advance(1);
    await retryIssue(deps, { identifier, caller: PERSON });
    await deps.trackers.get('local')?.transition(id, 'In Review');
    await syncTrackerIssues(deps, tracker());
    expect(await world.issue(identifier)).toMatchObject({ status: 'queued' });
    await world.pass(60_000);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'queued',
      state: 'In Progress',
    });
  });

  it('stops and begins anew when another issue stands under the same number', async () => {
    const identifier = await world.createIssue();
    const { id } = await world.issue(identifier);
    const local = tracker();
    const named = (nativeRef: string, laterMs = 0): Tracker => ({
      ...local,
      fetchByIds: async (ids) =>
        (await local.fetchByIds(ids)).map((issue) => ({
          ...issue,
          nativeRef,
          createdAtMs: issue.createdAtMs + laterMs,
        })),
    });
    await syncIssues(world.deps, named('I_1'), [id]);
    await world.deps.db.update(issues).set({
      status: 'retrying',
      reason: 'x',
      failure_count: 2,
      run_count: 2,
      branch: 'switchyard/sy-1',
      thread_id: 'thread-1',
      pull_request_url: 'https://x/pull/1',
    });
    await syncIssues(world.deps, named('I_1'), [id]);
    expect(await world.issue(identifier)).toMatchObject({ status: 'retrying' });
    // The tracker writes its own ids in another way: one that was made at the same time is the same.
    await syncIssues(world.deps, named('MDU6SXNzdWUx'), [id]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'retrying',
      native_ref: 'MDU6SXNzdWUx',
      branch: 'switchyard/sy-1',
    });
    await syncIssues(world.deps, named('I_2', 1_000), [id]);
    expect(await world.issue(identifier)).toMatchObject({
      status: 'idle',
      run_count: 0,
      native_ref: 'I_2',
      reason: expect.any(String),
      branch: null,
      thread_id: null,
      pull_request_url: null,
    });
  });

  it('changes nothing when the tracker fails', async () => {
    const identifier = await world.createIssue();
    later();
    const before = await world.issue(identifier);
    const failing = { ...tracker(), fetchChanged: () => Promise.reject(new Error('away')) };
    await expect(syncTrackerIssues(world.deps, failing, scope())).rejects.toThrow('away');
    expect(await world.issue(identifier)).toEqual(before);
  });
});
