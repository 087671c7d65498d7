import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';
import type { Issues } from './work.ts';

/** What agents delivered, to read and to decide about. */
export function pullRequestScenarios(stage: Stage, issues: () => Issues): void {
  it('lists what was delivered, and shows what one changes', async () => {
    const { page, hands } = stage;
    await hands.goTo('Pull requests');
    const delivered = stage.row(issues().fixed).locator('.row-link').last();
    await delivered.waitFor();
    await stage.inspect();
    await hands.activate(delivered);
    await page.locator('.diff .line.add').filter({ hasText: 'Math.floor' }).first().waitFor();
    await stage.region('Description').waitFor();
    await stage.inspect();
  });

  it('merges it after a question', async () => {
    const { page, hands, client } = stage;
    const { fixed } = issues();
    const question = stage.dialog('Merge into main?');
    const merge = page.getByRole('button', { name: 'Merge', exact: true });
    await hands.activate(merge);
    await stage.inspect();
    await hands.dismiss(question);
    expect((await client.pullRequestOf(fixed)).status).toBe('open');
    await hands.activate(merge);
    await stage.settle(question, 'Merge');
    await page.getByText('Merged as').waitFor();
    await hands.activate(page.getByRole('link', { name: fixed, exact: true }).first());
    await page.locator('.issue-state').getByText('Done').waitFor();
  });
}
