import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';

const RUN_TIMEOUT_MS = 90_000;

/** Inbox and notifications. `sent` counts what the channel has received. */
export function peopleScenarios(stage: Stage, sent: () => number): void {
  let questioned: string;
  it("answers an agent's question, and keeps the receipt", async () => {
    const { page, hands, client } = stage;
    questioned = (await client.createIssue({ title: 'case:question' })).identifier;
    await hands.goTo('Inbox');
    const question = page.getByText('Which colour should the button have?').first();
    await question.waitFor({ timeout: RUN_TIMEOUT_MS });
    await stage.inspect();
    const green = page.getByRole('radio', { name: /Green/ });
    await hands.pick(page.getByRole('radio', { name: /Blue/ }));
    await hands.pick(green);
    await expect.poll(() => green.isChecked()).toBe(true);
    await hands.activate(stage.button('Send answer'));
    const receipt = stage.row('Which colour');
    await receipt.getByText('Resumed', { exact: true }).waitFor({ timeout: RUN_TIMEOUT_MS });
    await receipt.getByText('agent resumed').waitFor();
    await receipt.filter({ hasText: 'Green' }).waitFor();
  });

  it('marks notifications read, and tries a channel', async () => {
    const { page, hands, client } = stage;
    // Until its agent has finished, another notification may come after all are marked read.
    await client.settled(questioned);
    const asked = stage.row('asks: Which colour');
    await hands.goTo('Notifications');
    await asked.getByText('Question', { exact: true }).waitFor();
    await stage.inspect();
    await hands.activate(stage.button(/^Mark read: .*asks/));
    await asked.waitFor({ state: 'detached' });
    await hands.activate(stage.button('Mark all read'));
    await page.getByText('No unread notifications', { exact: true }).waitFor();
    await hands.pick(page.getByRole('tab', { name: 'All', exact: true }));
    await asked.waitFor();
    await hands.activate(stage.button('Send test message over ops'));
    await stage.said('ops: test message delivered');
    expect(sent()).toBeGreaterThan(0);
  });
}
