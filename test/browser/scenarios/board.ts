import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';
import type { Issues } from './work.ts';

/** What every pair of hands does on the board alike. */
export function boardScenarios(stage: Stage, issues: () => Issues): void {
  const card = (identifier: string) => stage.page.locator('.card').filter({ hasText: identifier });

  it('takes a new issue', async () => {
    const { hands } = stage;
    await hands.goTo('Board');
    await hands.activate(stage.button('New issue'));
    const form = stage.dialog('New issue');
    await hands.type(form.getByLabel('Title'), 'Write the handbook');
    await hands.type(form.getByLabel('Description'), 'With *pictures*.');
    await hands.choose(form.getByLabel('State'), 'Backlog');
    await stage.inspect();
    await hands.submit(form.getByRole('button', { name: 'Create issue' }));
    await form.waitFor({ state: 'detached' });
    await stage.region('Backlog').getByText('Write the handbook').waitFor();
  });

  it('filters by words and by need, and shows more at once', async () => {
    const { page, hands } = stage;
    const { fixed, listening } = issues();
    const filter = page.getByRole('searchbox', { name: 'Filter issues' });
    await hands.type(filter, 'durations');
    await card(listening).waitFor({ state: 'detached' });
    expect(page.url()).toContain('q=durations');
    await hands.type(filter, '');
    await card(listening).waitFor();
    const running = stage.button(/^\d+ Running$/);
    await hands.activate(running);
    await card(fixed).waitFor({ state: 'detached' });
    await hands.activate(running);
    await card(fixed).waitFor();
    await hands.activate(stage.button('Compact'));
    await page.locator('.columns.dense').waitFor();
    await stage.inspect();
    await hands.activate(stage.button('Compact'));
  });
}
