import { it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';

/** Everything that happens, as it happens. */
export function feedScenario(stage: Stage): void {
  it('tells what happened, and holds still on request', async () => {
    const { page, hands, client } = stage;
    await hands.goTo('Live feed');
    const feed = page.getByRole('list', { name: 'Events, newest first' });
    await feed.getByText('pull request opened').first().waitFor();
    await hands.activate(stage.button(/^Pause$/));
    await client.createIssue({ title: 'After the hold', state: 'Backlog' });
    await hands.activate(stage.button(/^Resume \(\d+ new\)$/));
    await hands.pick(page.getByRole('tab', { name: 'Runners' }));
    await feed.getByText('runner connected').first().waitFor();
    await stage.inspect();
  });
}
