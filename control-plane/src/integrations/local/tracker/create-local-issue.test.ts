import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  PERSON,
  createLocalTrackerFixture,
} from '../../../../../test/support/local-tracker-fixture.ts';
import { audit } from '../../../db/schema/operation/audit.ts';
import { eventChunks } from '../../../db/schema/operation/events.ts';
import { issues } from '../../../db/schema/work/issues.ts';
import { localIssues } from '../../../db/schema/work/local-issues.ts';
import { newIssueRow } from '../../../ports/tracker/issue-row.ts';
import { createLocalIssue, createSubIssues } from './create-local-issue.ts';
import { updateLocalIssue } from './update-local-issue.ts';

describe('createLocalIssue', () => {
  let fixture: Awaited<ReturnType<typeof createLocalTrackerFixture>>;
  beforeEach(async () => {
    fixture = await createLocalTrackerFixture();
  });
  afterEach(() => fixture.close());
  const create = (input: Parameters<typeof createLocalIssue>[2]) =>
    createLocalIssue(fixture.deps, PERSON, input);

  it('counts from 1, and goes on after the newest issue is gone', async () => {
    const { db } = fixture.deps;
    expect((await create({ title: 'a' })).identifier).toBe('SY-1');
    expect((await create({ title: 'b' })).identifier).toBe('SY-2');
    await db.run(sql`delete from local_issues where number = 2`);
    await db.run(sql`delete from issues where identifier = 'SY-2'`);
    expect((await create({ title: 'c' })).identifier).toBe('SY-3');
  });

  it('goes on after imported issues that the counter does not know', async () => {
    const { db } = fixture.deps;
    await create({ title: 'a' });
    await db.run(sql`update local_issues set number = 41, identifier = 'SY-41'`);
    await db.run(sql`delete from counters where name = 'local_issue_number'`);
    expect((await create({ title: 'b' })).identifier).toBe('SY-42');
  });

  it('indexes the issue, writes the audit and tells listeners in the same breath', async () => {
    const { db } = fixture.deps;
    const issue = await create({ title: 'Add it', labels: ['Web', 'web ', 'api'], priority: 2 });
    expect(await db.select().from(issues)).toEqual([newIssueRow('local', issue)]);
    expect(issue).toMatchObject({ state: 'Todo', labels: ['Web', 'api'], priority: 2 });
    const [entry] = await db.select().from(audit);
    expect(entry).toMatchObject({
      actor: 'ada',
      source: 'API',
      operation: 'local_issue.create',
      subject: 'SY-1',
      request_id: 'req-1',
    });
    const [chunk] = await db.select().from(eventChunks);
    expect(chunk?.items).toMatchObject([
      {
        type: 'issue.updated',
        data: { identifier: 'SY-1', issueId: issue.id, status: 'idle', reason: null },
      },
    ]);
    expect(fixture.notified()).toBe(1);
  });

  it('refuses blockers that do not exist and names them', async () => {
    await create({ title: 'a' });
    const refused = create({ title: 'b', blockedBy: ['SY-1', 'SY-9', 'nonsense'] });
    await expect(refused).rejects.toMatchObject({
      code: 'bad_request',
      message: 'blockedBy: no such issue: SY-9, nonsense',
    });
    expect(await fixture.deps.db.select().from(localIssues)).toHaveLength(1);
  });

  it('is not dispatchable until its blockers have ended', async () => {
    const { db } = fixture.deps;
    await create({ title: 'a' });
    await create({ title: 'old', state: 'Done' });
    await create({ title: 'waits', blockedBy: ['SY-1', 'SY-2'] });
    await create({ title: 'free', blockedBy: ['SY-2'] });
    const rows = await db
      .select({ identifier: issues.identifier, dispatchable: issues.dispatchable })
      .from(issues);
    expect(rows.filter((row) => !row.dispatchable)).toEqual([
      { identifier: 'SY-3', dispatchable: false },
    ]);
  });

  it('makes a part of another issue, which waits for it from then on', async () => {
    const { db } = fixture.deps;
    await create({ title: 'whole' });
    fixture.ports.clock.advance(1_000);
    const part = await create({ title: 'part', parent: 'SY-1' });
    expect(part.parent).toMatchObject({ identifier: 'SY-1' });
    const [whole] = await db.select().from(issues);
    expect(whole).toMatchObject({
      sub_issues: [{ identifier: 'SY-2', state: 'Todo', terminal: false }],
      dispatchable: false,
      version: 2,
    });
    await expect(create({ title: 'b', parent: 'SY-9' })).rejects.toMatchObject({
      message: 'parent: no such issue: SY-9',
    });
    await expect(create({ title: 'b', parent: 'SY-1', blockedBy: ['SY-1'] })).rejects.toMatchObject(
      { message: 'blockedBy: "b" would wait for itself: "b" → SY-1 → "b"' },
    );
  });

  it('creates all parts or none, and no circle with an update at the same time', async () => {
    const { deps } = fixture;
    const { id } = await create({ title: 'whole' });
    const next = await create({ title: 'next' });
    const plan = { title: 'a', priority: null, labels: [], blockedByParts: [] };
    const results = await Promise.allSettled([
      createSubIssues(deps, PERSON, { id, version: 1 }, [
        { ...plan, blockedByIds: [] },
        { ...plan, blockedByIds: [next.id], blockedByParts: [0] },
      ]),
      updateLocalIssue(deps, PERSON, {
        identifier: next.identifier,
        changes: { blockedBy: ['SY-1'] },
      }),
    ]);
    const wins = results.map(({ status }) => status);
    expect(wins.toSorted()).toEqual(['fulfilled', 'rejected']);
    const rows = await deps.db.select().from(localIssues);
    expect(rows).toHaveLength(wins[0] === 'fulfilled' ? 4 : 2);
  });

  it('refuses a title of control characters and keeps NUL out of texts', async () => {
    await expect(create({ title: '\u0001\n\u0000' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    const issue = await create({ title: 'a\u0000b\ud800', description: 'x\u0000y\tz' });
    expect(issue).toMatchObject({ title: 'a b\ufffd', description: 'x\ufffdy\tz' });
  });

  it('steps over an identifier of another tracker, and says so when all are taken', async () => {
    const { db } = fixture.deps;
    const foreign = await create({ title: 'foreign' });
    await db.run(sql`update issues set tracker = 'other', identifier = 'SY-2'`);
    expect((await create({ title: 'mine' })).identifier).toBe('SY-3');
    for (let number = 4; number < 10; number += 1) {
      const row = newIssueRow('other', {
        ...foreign,
        id: `x${number}`,
        identifier: `SY-${number}`,
      });
      await db.insert(issues).values(row);
    }
    await expect(create({ title: 'none left' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('tracker.local.prefix'),
    });
  });
});
