import { eq, inArray } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CoreWorld, createCoreWorld } from '../../../../test/support/core/core-world.ts';
import { openFramePeer } from '../../../../test/support/core/runner-peers.ts';
import { issues } from '../../db/schema/work/issues.ts';
import type { Tracker } from '../../ports/tracker/tracker.ts';
import { refuseUnreadable } from '../../ports/tracker/refuse-unreadable.ts';
import { syncTrackerIssues } from './sync-tracker-issues.ts';

describe('an identifier that two issues have', () => {
  let world: CoreWorld;
  beforeEach(async () => {
    world = await createCoreWorld(openFramePeer);
  });
  afterEach(() => world.close());

  /** The built-in tracker with other names for its issues. */
  const tracker = (names: Record<string, string>): Tracker => {
    const local = world.deps.trackers.get('local');
    if (local === undefined) throw new Error('no built-in tracker');
    const renamed = <Named extends { id: string; identifier: string }>(found: Named[]) =>
      found.map((issue) => ({ ...issue, identifier: names[issue.id] ?? issue.identifier }));
    return {
      ...local,
      fetchByIds: async (ids) => renamed(await local.fetchByIds(ids)),
      fetchByStates: async (states) => renamed(await local.fetchByStates(states)),
    };
  };
  const idOf = async (identifier: string) => (await world.issue(identifier)).id;
  const forget = (identifier: string) =>
    world.deps.db.delete(issues).where(eq(issues.identifier, identifier));

  it('is told of the one that comes later, and the others are seen', async () => {
    const [first, second, third] = [
      await world.createIssue(),
      await world.createIssue(),
      await world.createIssue(),
    ];
    const later = await idOf(second);
    await forget(second);
    await forget(third);
    const found = await syncTrackerIssues(world.deps, tracker({ [later]: first }));
    expect(found.unreadable).toMatchObject([
      { id: later, name: first, problem: expect.stringContaining('belongs to another issue') },
    ]);
    expect(await world.issue(third)).toMatchObject({ status: 'idle' });
  });

  it('is told where a name is changed into it, and the others are seen', async () => {
    const [first, second, third] = [
      await world.createIssue(),
      await world.createIssue(),
      await world.createIssue(),
    ];
    const later = await idOf(second);
    await forget(third);
    const found = await syncTrackerIssues(world.deps, tracker({ [later]: first }));
    expect(found.unreadable).toMatchObject([{ id: later, name: first }]);
    expect(await world.issue(second)).toMatchObject({ id: later });
    expect(await world.issue(third)).toMatchObject({ status: 'idle' });
  });

  it('goes to whom the tracker gives it, where it names the one before it anew', async () => {
    const first = await world.createIssue();
    const second = await world.createIssue();
    const [before, later] = [await idOf(first), await idOf(second)];
    await world.deps.trackers.get('local')?.transition(before, 'Done');
    await forget(second);
    const names = { [before]: 'OLD-1', [later]: first };
    const found = await syncTrackerIssues(world.deps, tracker(names));
    expect(found.unreadable).toEqual([]);
    expect(await world.issue('OLD-1')).toMatchObject({ id: before });
    expect(await world.issue(first)).toMatchObject({ id: later });
  });

  it('costs one question for all that have such names, also where nobody can read who has them', async () => {
    const [first, second, third, fourth] = [
      await world.createIssue(),
      await world.createIssue(),
      await world.createIssue(),
      await world.createIssue(),
    ];
    const local = world.deps.trackers.get('local');
    const before = [await idOf(first), await idOf(second)];
    for (const id of before) await local?.transition(id, 'Done');
    await world.deps.db.update(issues).set({ state: 'Done' }).where(inArray(issues.id, before));
    const later = [await idOf(third), await idOf(fourth)] as const;
    await forget(third);
    await forget(fourth);
    const fifth = await world.createIssue();
    await forget(fifth);
    const asked: (readonly string[])[] = [];
    const fetchByIds: Tracker['fetchByIds'] = async (ids, onUnreadable = refuseUnreadable) => {
      const about = ids.filter((id) => before.includes(id));
      if (about.length > 0) asked.push(about);
      for (const id of about) onUnreadable({ id, name: null, problem: 'no title' });
      return [];
    };
    const names = { [later[0]]: first, [later[1]]: second };
    const found = await syncTrackerIssues(world.deps, { ...tracker(names), fetchByIds });
    expect(found.unreadable.map(({ id, name }) => [id, name])).toEqual([
      [later[0], first],
      [later[1], second],
    ]);
    expect(await world.issue(fifth)).toMatchObject({ status: 'idle' });
    expect(asked).toEqual([before]);
  });
});
