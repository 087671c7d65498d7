import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UpdateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import {
  PERSON,
  createLocalTrackerFixture,
} from '../../../../../test/support/local-tracker-fixture.ts';
import { audit } from '../../../db/schema/operation/audit.ts';
import { eventChunks } from '../../../db/schema/operation/events.ts';
import { issues } from '../../../db/schema/work/issues.ts';
import { createLocalIssue } from './create-local-issue.ts';
import { createLocalTracker } from './local-tracker.ts';
import { updateLocalIssue } from './update-local-issue.ts';

describe('updateLocalIssue', () => {
  let fixture: Awaited<ReturnType<typeof createLocalTrackerFixture>>;
  beforeEach(async () => {
    fixture = await createLocalTrackerFixture();
    for (const title of ['one', 'two', 'three']) {
      await createLocalIssue(fixture.deps, PERSON, { title });
    }
  });
  afterEach(() => fixture.close());
  const update = (identifier: string, changes: UpdateLocalIssue) =>
    updateLocalIssue(fixture.deps, PERSON, { identifier, changes });

  it('changes what is given, keeps the rest, and leaves decisions in the index alone', async () => {
    const { db } = fixture.deps;
    await db.run(
      sql`update issues set status = 'failed', reason = 'why', tracker_starts_ms = '[1,2,3]'
        where identifier = 'SY-1'`,
    );
    fixture.ports.clock.advance(5_000);
    const issue = await update('SY-1', { state: 'In Progress', priority: 1 });
    expect(issue).toMatchObject({ title: 'one', state: 'In Progress', priority: 1 });
    expect(issue.updatedAtMs).toBe(issue.createdAtMs + 5_000);
    const [row] = await db
      .select()
      .from(issues)
      .where(sql`identifier = 'SY-1'`);
    expect(row).toMatchObject({
      state: 'In Progress',
      status: 'failed',
      reason: 'why',
      version: 2,
      // A person's change is a word for work to go on.
      tracker_starts_ms: null,
    });
    const [entry] = await db
      .select()
      .from(audit)
      .where(sql`operation = 'local_issue.update'`);
    expect(entry).toMatchObject({
      subject: 'SY-1',
      details: { changed: ['state', 'priority'], from: 'Todo', to: 'In Progress' },
    });
    const chunks = await db.select().from(eventChunks);
    expect(chunks.at(-1)?.items[0]?.data).toMatchObject({ status: 'failed', reason: 'why' });
  });

  it('stores nothing when nothing changes', async () => {
    const before = await fixture.deps.db.select().from(audit);
    const issue = await update('SY-1', { title: ' one\n', labels: [], description: null });
    expect(issue.updatedAtMs).toBe(issue.createdAtMs);
    expect(await fixture.deps.db.select().from(audit)).toEqual(before);
  });

  it('loses no change when many come at once', async () => {
    await Promise.all([
      update('SY-1', { title: 'new' }),
      update('SY-1', { labels: ['a'] }),
      update('SY-1', { state: 'Done' }),
      update('SY-1', { priority: 3 }),
    ]);
    const [issue] = await createLocalTracker(fixture.deps).fetchByStates(['Done']);
    expect(issue).toMatchObject({ title: 'new', labels: ['a'], state: 'Done', priority: 3 });
  });

  it('refuses an issue that waits for itself, directly or through others', async () => {
    await expect(update('SY-1', { blockedBy: ['SY-1'] })).rejects.toMatchObject({
      message: 'blockedBy: SY-1 would wait for itself: SY-1 → SY-1',
    });
    await update('SY-1', { blockedBy: ['SY-2'] });
    await update('SY-2', { blockedBy: ['SY-3'] });
    await expect(update('SY-3', { blockedBy: ['SY-1'] })).rejects.toMatchObject({
      code: 'bad_request',
      details: [
        {
          path: 'blockedBy',
          message: 'SY-3 would wait for itself: SY-3 → SY-1 → SY-2 → SY-3',
        },
      ],
    });
    await update('SY-1', { blockedBy: [] });
    expect((await update('SY-3', { blockedBy: ['SY-1'] })).blockedBy).toHaveLength(1);
  });

  it('lets no two updates at once close a circle between them', async () => {
    const results = await Promise.allSettled([
      update('SY-1', { blockedBy: ['SY-2'] }),
      update('SY-2', { blockedBy: ['SY-1'] }),
    ]);
    expect(results.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('moves an issue to another one, whose row tells of it at once', async () => {
    const parts = async (identifier: string) => {
      const rows = await fixture.deps.db.select().from(issues);
      const row = rows.find((one) => one.identifier === identifier);
      return { parts: row?.sub_issues.map((one) => one.identifier), version: row?.version };
    };
    expect((await update('SY-3', { parent: 'SY-1' })).parent).toMatchObject({ identifier: 'SY-1' });
    expect(await parts('SY-1')).toEqual({ parts: ['SY-3'], version: 2 });
    await update('SY-3', { parent: ' SY-2 ' });
    expect([(await parts('SY-1')).parts, (await parts('SY-2')).parts]).toEqual([[], ['SY-3']]);
    await update('SY-3', { parent: null });
    expect((await parts('SY-2')).parts).toEqual([]);
    await expect(update('SY-3', { parent: 'SY-9' })).rejects.toMatchObject({
      code: 'bad_request',
      details: [{ path: 'parent', message: 'no such issue: SY-9' }],
    });
  });

  it('refuses an issue that waits for itself through its parts', async () => {
    await expect(update('SY-1', { parent: 'SY-1' })).rejects.toMatchObject({
      message: 'parent: SY-1 would wait for itself: SY-1 → SY-1',
    });
    await update('SY-2', { parent: 'SY-1' });
    await expect(update('SY-1', { parent: 'SY-2' })).rejects.toMatchObject({
      message: 'parent: SY-1 would wait for itself: SY-1 → SY-2 → SY-1',
    });
    await expect(update('SY-2', { blockedBy: ['SY-1'] })).rejects.toMatchObject({
      message: 'blockedBy: SY-2 would wait for itself: SY-2 → SY-1 → SY-2',
    });
    await update('SY-3', { blockedBy: ['SY-1'] });
    await expect(update('SY-2', { blockedBy: ['SY-3'] })).rejects.toMatchObject({
      message: 'blockedBy: SY-2 would wait for itself: SY-2 → SY-3 → SY-1 → SY-2',
    });
    // What it is a part of is changed at the same time, so that nothing waits for it any more.
    await update('SY-2', { blockedBy: ['SY-1'], parent: null });
  });

  it('lets no two updates at once close a circle through a part', async () => {
    const results = await Promise.allSettled([
      update('SY-2', { parent: 'SY-1' }),
      update('SY-3', { blockedBy: ['SY-1'] }),
      update('SY-2', { blockedBy: ['SY-3'] }),
    ]);
    expect(results.map((result) => result.status).toSorted()).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
  });

  it('does not know an issue that does not exist', async () => {
    await expect(update('SY-99', { title: 'x' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'issue SY-99 not found',
    });
  });
});
