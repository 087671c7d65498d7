import { IssueList } from '@switchyard/shared/api/work/issue-list';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { issueFingerprint } from '../../control-plane/src/attempts/issue-fingerprint.ts';
import { attempts } from '../../control-plane/src/db/schema/work/attempts.ts';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { localIssues } from '../../control-plane/src/db/schema/work/local-issues.ts';
import { syncTrackerIssues } from '../../control-plane/src/issues/sync/sync-tracker-issues.ts';
import { callCore } from '../support/core/call-core.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const POLL_MS = 600_000;
const WHY = 'the branch is protected';
const KEPT = { status: 'blocked', reason: WHY, reason_code: 'delivery_refused' };

/** An issue whose work is done and kept, because its delivery was refused. */
async function withKeptWork() {
  const { world, runner, lease, identifier } = await sceneWithLease(make);
  await runner.finish(lease, { outcome: 'failed', failureKind: 'delivery_refused', message: WHY });
  await world.deps.db
    .update(attempts)
    .set({ failure_kind: 'delivery_refused', base_commit: 'a'.repeat(40) })
    .where(eq(attempts.attempt_id, lease.attemptId));
  const row = await world.issue(identifier);
  await world.deps.db
    .update(issues)
    .set({ ...KEPT, status: 'blocked', reason_code: 'delivery_refused' })
    .where(eq(issues.identifier, identifier));
  await world.deps.db
    .update(issues)
    .set({ parked_fingerprint: issueFingerprint(row), next_retry_at_ms: null })
    .where(eq(issues.identifier, identifier));
  return { world, identifier };
}

async function needing(world: CoreWorld): Promise<number> {
  const { body } = await callCore(world, 'GET', '/api/v1/issues');
  return IssueList.parse(body).counts.person;
}

/** Everything is looked at, also what is not there. */
async function lookAtAll(world: CoreWorld): Promise<void> {
  const tracker = world.deps.trackers.get('local');
  if (tracker === undefined) throw new Error('no tracker');
  await syncTrackerIssues(world.deps, tracker, 'all');
  await world.pass(POLL_MS);
}

/** What is said to a person who has the kept work delivered again. */
async function deliverAgain(world: CoreWorld, identifier: string): Promise<string> {
  const { body } = await callCore(world, 'POST', `/api/v1/${identifier}/deliver`);
  return JSON.stringify(body);
}

const NOTHING_KEPT = 'no delivery of';

describe('work that is kept', () => {
  it('waits where it was while the tracker hides its issue, and after it shows it again', async () => {
    const { world, identifier } = await withKeptWork();
    const attemptCount = (await world.issue(identifier)).attempt_count;
    for (let times = 0; times < 3; times += 1) {
      const hidden = await world.deps.db
        .delete(localIssues)
        .where(eq(localIssues.identifier, identifier))
        .returning();
      await lookAtAll(world);
      expect(await world.issue(identifier)).toMatchObject(KEPT);
      expect(await needing(world)).toBe(0);
      await world.deps.db.insert(localIssues).values(hidden);
      await lookAtAll(world);
      expect(await world.issue(identifier)).toMatchObject({
        ...KEPT,
        attempt_count: attemptCount,
      });
      expect(await needing(world)).toBe(1);
    }
    expect(await deliverAgain(world, identifier)).not.toContain(NOTHING_KEPT);
  });

  it('can still be delivered after its issue was stopped, which took no work away', async () => {
    const { world, identifier } = await withKeptWork();
    expect((await callCore(world, 'POST', `/api/v1/${identifier}/abort`)).status).toBe(202);
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
    expect(await deliverAgain(world, identifier)).not.toContain(NOTHING_KEPT);
  });

  it('keeps its reason and its delivery while its issue is ended, and needs nobody', async () => {
    const { world, identifier } = await withKeptWork();
    expect(await needing(world)).toBe(1);
    await world.editIssue(identifier, { state: 'Done' });
    await world.pass(POLL_MS);
    expect(await world.issue(identifier)).toMatchObject({ ...KEPT, state: 'Done' });
    expect(await needing(world)).toBe(0);
    expect(await deliverAgain(world, identifier)).not.toContain(NOTHING_KEPT);
  });

  it('is as it was after settings that took its state for an end', async () => {
    const { world, identifier } = await withKeptWork();
    const { state } = await world.issue(identifier);
    const terminal = JSON.stringify(['Done', 'Canceled', state]);
    await world.restart({ SERVICE_CONFIG__tracker__terminalStates: terminal });
    await world.pass(POLL_MS);
    expect(await needing(world)).toBe(0);
    await world.restart({});
    await world.pass(POLL_MS);
    expect(await world.issue(identifier)).toMatchObject(KEPT);
    expect(await needing(world)).toBe(1);
  });
});
