import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitHubTrackerHarness } from '../support/github/github-tracker-harness.ts';

describe('labels and long lists on GitHub', () => {
  let harness: Awaited<ReturnType<typeof createGitHubTrackerHarness>>;
  beforeEach(async () => {
    harness = await createGitHubTrackerHarness();
  });
  afterEach(() => harness.close());

  it('a move changes only labels of states, whatever people add or take meanwhile', async () => {
    const { tracker, human, fake, repository } = harness;
    const { id } = await human.createIssue({ title: 'x', state: 'Todo', labels: ['web'] });
    const [issue] = repository.issues;
    let isDone = false;
    fake.onRequest = (line) => {
      if (isDone || line.startsWith('GET')) return;
      isDone = true;
      issue?.labels.splice(issue.labels.indexOf('web'), 1, 'urgent');
    };
    await tracker.transition(id, 'In Progress');
    expect(issue?.labels.toSorted()).toEqual(['In Progress', 'urgent']);
    isDone = false;
    fake.onRequest = (line) => {
      // A person takes the state's label away just before.
      if (!isDone && line.startsWith('DELETE')) issue?.labels.splice(0, 9, 'In Review', 'urgent');
      isDone = line.startsWith('DELETE');
    };
    await tracker.transition(id, 'In Review');
    expect(issue?.labels.toSorted()).toEqual(['In Review', 'urgent']);
    expect(issue?.state).toBe('open');
  });

  it('changes since a time and long closed lists are read to their end', async () => {
    const { tracker, human, fake, repository } = harness;
    const COUNT = 130;
    const startMs = Date.parse('2026-01-01T00:00:00Z');
    for (let at = 0; at < COUNT; at += 1) {
      await human.createIssue({ title: `x${at}`, state: at % 2 === 0 ? 'Todo' : 'Done' });
      const issue = repository.issues.at(-1);
      if (issue !== undefined) issue.updated_at = new Date(startMs + at * 60_000).toISOString();
    }
    fake.pageSize = 2;
    fake.maxPages = 60;
    const changed = await tracker.fetchChanged?.(startMs + 60_000);
    expect(new Set(changed?.map(({ id }) => id)).size).toBe(COUNT - 1);
    expect(changed).toHaveLength(COUNT - 1);
    fake.pageSize = 1;
    expect(await tracker.fetchByStates(['Done'])).toHaveLength(COUNT / 2);
  });

  it('more issues of one moment than pages may be read are an error, not an endless walk', async () => {
    const { tracker, human, fake, repository } = harness;
    for (let at = 0; at < 60; at += 1) await human.createIssue({ title: `x${at}`, state: 'Todo' });
    for (const issue of repository.issues) issue.updated_at = '2026-01-01T00:00:00.000Z';
    fake.pageSize = 1;
    await expect(tracker.fetchChanged?.(0)).rejects.toMatchObject({ category: 'pagination' });
  });
});
