import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitHubTrackerHarness } from '../support/github/github-tracker-harness.ts';

describe('states in a project of GitHub', () => {
  let harness: Awaited<ReturnType<typeof createGitHubTrackerHarness>>;
  beforeEach(async () => {
    harness = await createGitHubTrackerHarness({ inProject: true });
  });
  afterEach(() => harness.close());

  it('are the field’s, whatever labels say, and moves leave labels alone', async () => {
    const { tracker, human, repository, fake } = harness;
    const { id } = await human.createIssue({ title: 'x', state: 'In Review', labels: ['web'] });
    const [issue] = repository.issues;
    issue?.labels.push('Todo');
    expect(await tracker.fetchByStates(['Todo'])).toEqual([]);
    expect(await tracker.fetchByIds([id])).toMatchObject([{ state: 'In Review', labels: ['web'] }]);
    await tracker.transition(id, 'In Progress');
    expect([...(fake.project?.values.values() ?? [])]).toEqual(['In Progress']);
    expect(issue?.labels).toEqual(['web', 'Todo']);
    await tracker.transition(id, 'Done');
    expect(issue).toMatchObject({ state: 'closed', state_reason: 'completed' });
    expect([...(fake.project?.values.values() ?? [])]).toEqual(['Done']);
    // The field has no such option; closing says enough.
    await tracker.transition(id, 'Canceled');
    expect(issue).toMatchObject({ state: 'closed', state_reason: 'not_planned' });
  });

  it('are seen when only they change, and are none outside of the project', async () => {
    const { tracker, human, fake } = harness;
    const { id } = await human.createIssue({ title: 'x', state: 'Todo' });
    const afterwardsMs = Date.now() + 60_000;
    await human.moveIssue(id, 'In Review');
    expect(await tracker.fetchChanged?.(afterwardsMs)).toMatchObject([{ id, state: 'In Review' }]);
    fake.project?.values.clear();
    expect(await tracker.fetchByIds([id])).toMatchObject([{ state: 'Open' }]);
    await tracker.transition(id, 'Todo');
    expect(await tracker.fetchByIds([id])).toMatchObject([{ state: 'Todo' }]);
  });

  it('that cannot be had are an error with its reason, and change nothing', async () => {
    const { tracker, human, fake, repository } = harness;
    const { id } = await human.createIssue({ title: 'x', state: 'Todo' });
    fake.project?.options.splice(2, 1);
    await expect(tracker.transition(id, 'In Review')).rejects.toThrow('no option In Review');
    Object.assign(fake.project ?? {}, { number: 4 });
    await expect(tracker.transition(id, 'In Review')).rejects.toThrow('there is no project acme/3');
    fake.project = null;
    await expect(tracker.fetchByStates(['Todo'])).rejects.toThrow('Could not resolve');
    expect(repository.issues[0]?.state).toBe('open');
  });

  it('are read beside other projects that nobody may see', async () => {
    const { tracker, human, fake } = harness;
    const { id } = await human.createIssue({ title: 'x', state: 'Todo' });
    fake.spoil = (body: { data?: { nodes?: { projectItems: { nodes: unknown[] } }[] } }) => {
      for (const { projectItems } of body.data?.nodes ?? [])
        projectItems.nodes.unshift(null, { project: null, fieldValueByName: null });
    };
    expect(await tracker.fetchByStates(['Todo'])).toMatchObject([{ id }]);
  });

  it('that cannot be read keep their own issue out, and no other', async () => {
    const { tracker, human, fake } = harness;
    const [odd, sound] = [
      await human.createIssue({ title: 'odd', state: 'Todo' }),
      await human.createIssue({ title: 'sound', state: 'Todo' }),
    ];
    fake.spoil = (body: { data?: { nodes?: { projectItems: unknown }[] } }) => {
      const [first] = body.data?.nodes ?? [];
      if (first !== undefined) first.projectItems = { nodes: null };
    };
    const unreadable: unknown[] = [];
    const tell = (record: unknown) => void unreadable.push(record);
    expect(await tracker.fetchByStates(['Todo'], tell)).toMatchObject([{ id: sound.id }]);
    const record = { id: odd.id, name: odd.identifier, problem: expect.any(String), state: null };
    expect(unreadable).toMatchObject([record]);
    await expect(tracker.transition(odd.id, 'In Progress')).rejects.toMatchObject({
      category: 'response',
    });
  });
});
