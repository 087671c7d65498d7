import { IssueList } from '@switchyard/shared/api/work/issue-list';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { issueFingerprint } from '../../control-plane/src/attempts/issue-fingerprint.ts';
import { issues } from '../../control-plane/src/db/schema/work/issues.ts';
import { syncTrackerIssues } from '../../control-plane/src/issues/sync/sync-tracker-issues.ts';
import { callCore } from '../support/core/call-core.ts';
import type { CoreWorld } from '../support/core/core-world.ts';
import { useCoreWorlds } from '../support/core/use-core-worlds.ts';
import { sceneWithLease } from './runner-protocol/scene.ts';

const make = useCoreWorlds();
const POLL_MS = 600_000;

/** An issue on which its agent waits for a person. */
async function blocked() {
  const { world, runner, lease, identifier } = await sceneWithLease(make);
  await runner.finish(lease, { marker: 'BLOCKED', summary: 'Which of the two ports?' });
  expect(await world.issue(identifier)).toMatchObject({ status: 'blocked' });
  return { world, identifier };
}

async function needing(world: CoreWorld): Promise<string[]> {
  const { body } = await callCore(world, 'GET', '/api/v1/issues?group=person');
  const list = IssueList.parse(body);
  expect(list.counts.person).toBe(list.issues.length);
  return list.issues.map(({ identifier }) => identifier);
}

async function stop(world: CoreWorld, identifier: string): Promise<number> {
  return (await callCore(world, 'POST', `/api/v1/${identifier}/abort`)).status;
}

/** Everything is looked at, as the tracker shows it now. */
async function lookAtAll(world: CoreWorld): Promise<void> {
  const tracker = world.deps.trackers.get('local');
  if (tracker === undefined) throw new Error('no tracker');
  await syncTrackerIssues(world.deps, tracker, 'all');
  await world.pass(POLL_MS);
}

describe('stopping an issue that waits for a person', () => {
  it('ends a blocked one, which stays so over the next looks at the tracker', async () => {
    const { world, identifier } = await blocked();
    expect(await needing(world)).toEqual([identifier]);
    expect(await stop(world, identifier)).toBe(202);
    const stopped = { status: 'cancelled', reason_code: 'stopped_by_person' };
    expect(await world.issue(identifier)).toMatchObject({
      ...stopped,
      reason: expect.stringMatching(/^stopped by /),
    });
    expect(await needing(world)).toEqual([]);
    for (let times = 0; times < 3; times += 1) {
      await lookAtAll(world);
      expect(await world.issue(identifier)).toMatchObject(stopped);
    }
    const { body } = await callCore(world, 'GET', '/api/v1/audit?limit=5');
    expect(JSON.stringify(body)).toContain('"issue.abort"');
    expect(await stop(world, identifier)).toBe(409);
  });

  it('can be taken back by a retry', async () => {
    const { world, identifier } = await blocked();
    await stop(world, identifier);
    const { status } = await callCore(world, 'POST', `/api/v1/${identifier}/retry`);
    expect(status).toBe(202);
    expect(await world.issue(identifier)).toMatchObject({ status: 'queued', failure_count: 0 });
  });

  it.each(['abort', 'retry'])('is not lost to a sync in the same moment: %s', async (act) => {
    const { world, identifier } = await blocked();
    const synced = () => world.deps.db.update(issues).set({ version: sql`version + 1` });
    const [{ status }] = await Promise.all([
      callCore(world, 'POST', `/api/v1/${identifier}/${act}`),
      ...Array.from({ length: 2 }, synced),
    ]);
    expect(status).toBe(202);
    const after = act === 'abort' ? 'cancelled' : 'queued';
    expect(await world.issue(identifier)).toMatchObject({ status: after });
  });

  it('is over once somebody changes the issue in the tracker', async () => {
    const { world, identifier } = await blocked();
    await stop(world, identifier);
    await world.editIssue(identifier, { title: 'Take the first port' });
    await lookAtAll(world);
    expect((await world.issue(identifier)).status).not.toBe('cancelled');
  });

  it('ends a failed one', async () => {
    const { world, identifier } = await blocked();
    await world.deps.db
      .update(issues)
      .set({ status: 'failed', reason: 'it broke', reason_code: 'agent_error' })
      .where(eq(issues.identifier, identifier));
    expect(await stop(world, identifier)).toBe(202);
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
    expect(await needing(world)).toEqual([]);
  });

  it('keeps one whose budget was used up from going on when there is more', async () => {
    const { world, identifier } = await blocked();
    const row = await world.issue(identifier);
    await world.deps.db
      .update(issues)
      .set({
        reason: 'spent',
        reason_code: 'day_budget_used',
        parked_kind: 'budget',
        parked_fingerprint: issueFingerprint(row),
      })
      .where(eq(issues.identifier, identifier));
    expect(await stop(world, identifier)).toBe(202);
    await world.pass(86_400_000);
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled', parked_kind: null });
  });

  it('ends one that cannot begin before a person does something', async () => {
    const world = await make({ SERVICE_CONFIG__repos: '[]' });
    const identifier = await world.createIssue();
    await world.tick();
    expect(await world.issue(identifier)).toMatchObject({ reason_code: 'repository_missing' });
    expect(await needing(world)).toEqual([identifier]);
    expect(await stop(world, identifier)).toBe(202);
    await lookAtAll(world);
    expect(await world.issue(identifier)).toMatchObject({ status: 'cancelled' });
    expect(await needing(world)).toEqual([]);
  });

  it('refuses one that waits for nobody', async () => {
    const world = await make();
    const identifier = await world.createIssue({ state: 'Backlog' });
    await world.tick();
    expect(await stop(world, identifier)).toBe(409);
    expect(await world.issue(identifier)).toMatchObject({ status: 'idle' });
  });
});
