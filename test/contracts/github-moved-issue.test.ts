import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { transferIssue } from '../support/github/fake-moves.ts';
import type { FakeRepository } from '../support/github/fake-state.ts';
import { createGitHubTrackerHarness } from '../support/github/github-tracker-harness.ts';

describe('an issue that was transferred on GitHub', () => {
  let harness: Awaited<ReturnType<typeof createGitHubTrackerHarness>>;
  let other: FakeRepository;
  let bystander: { id: string };
  let moved: { id: string };

  beforeEach(async () => {
    harness = await createGitHubTrackerHarness();
    const { human, fake, repository } = harness;
    other = fake.addRepository('acme', 'other');
    bystander = await human.createIssue({ title: 'Mine', state: 'Todo' });
    moved = await human.createIssue({ title: 'Theirs', state: 'Todo' });
    // There it gets the number that the bystander has here.
    transferIssue(fake, repository, 2, other);
    expect(other.issues).toMatchObject([{ number: 1, title: 'Theirs' }]);
  });
  afterEach(() => harness.close());

  it('is reported as moved, and never taken for the one of its new number', async () => {
    const found = await harness.tracker.fetchByIds([moved.id]);
    expect(found).toMatchObject([
      { id: moved.id, unroutable: expect.stringContaining('moved to acme/other#1') },
    ]);
    expect(found[0]?.unroutable).toContain('no route leads there');
    const both = await harness.tracker.fetchByIds([bystander.id, moved.id]);
    expect(both.map(({ id, title }) => [id, title])).toContainEqual([bystander.id, 'Mine']);
    expect(new Set(both.map(({ id }) => id)).size).toBe(both.length);
  });

  it('gets no comment, state or attachment of ours at its new place', async () => {
    const { tracker, fake } = harness;
    const refused = { isRefusal: true, message: expect.stringContaining('moved to acme/other#1') };
    await expect(tracker.upsertComment(moved.id, 'status', 'hello')).rejects.toMatchObject(refused);
    await expect(tracker.transition(moved.id, 'In Review')).rejects.toMatchObject(refused);
    const attached = tracker.attach(moved.id, { url: 'https://x.example/1', title: 'x' });
    await expect(attached).rejects.toMatchObject(refused);
    expect(other.comments).toEqual([]);
    expect(other.issues[0]?.labels).toEqual(['Todo']);
    const written = fake.requests.filter(({ method }) => method !== 'GET');
    expect(written).toEqual([]);
  });

  it('is followed where a route leads to its new repository', async () => {
    harness.addRoute('OTHER-', other);
    const [old, ...more] = await harness.tracker.fetchByIds([moved.id]);
    expect(old?.unroutable).toContain('moved to OTHER-1');
    expect(more).toEqual([]);
    const active = await harness.tracker.fetchByStates(['Todo']);
    expect(active.map(({ id }) => id).toSorted()).toEqual(['acme/other#1', bystander.id]);
  });

  it('is gone when nobody may see where, or when it was deleted', async () => {
    const { tracker, human, fake, repository } = harness;
    const deleted = await human.createIssue({ title: 'x', state: 'Todo' });
    transferIssue(fake, repository, 3, null);
    other.isHidden = true;
    expect(await tracker.fetchByIds([moved.id, deleted.id])).toEqual([]);
  });

  it('is another thing than a repository that was renamed', async () => {
    const { tracker, fake, repository } = harness;
    fake.rename(repository, 'store');
    expect(await tracker.fetchByIds([bystander.id])).toMatchObject([
      { id: bystander.id, title: 'Mine', unroutable: null },
    ]);
    await tracker.transition(bystander.id, 'In Progress');
    expect(repository.issues[0]?.labels).toEqual(['In Progress']);
    await tracker.upsertComment(bystander.id, 'status', 'hello');
    expect(repository.comments).toHaveLength(1);
  });
});
