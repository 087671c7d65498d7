import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';

/** Configuration and secrets. */
export function settingsScenarios(stage: Stage): void {
  const review = () => stage.dialog('Save these changes?');

  it('changes a setting after a look at the difference, and takes it back', async () => {
    const { page, hands, client } = stage;
    const turns = async () =>
      (await client.must<{ agent: { maxTurns: number } }>('GET', '/config')).agent.maxTurns;
    await hands.goTo('Configuration');
    await hands.activate(page.getByRole('link', { name: 'agent', exact: true }));
    const field = page.getByRole('textbox', { name: 'agent.maxTurns' });
    await hands.type(field, 'many');
    await page.getByText('must be a number').waitFor();
    await hands.type(field, '7');
    await stage.inspect();
    await hands.activate(stage.button('Review and save'));
    await review().locator('del').getByText('20').waitFor();
    await review().locator('ins').getByText('7').waitFor();
    await stage.inspect();
    expect(await turns()).toBe(20);
    await stage.settle(review(), 'Save');
    await stage.said('1 change saved');
    expect(await turns()).toBe(7);
    await hands.activate(stage.button('Reset agent.maxTurns'));
    await hands.activate(stage.button('Review and save'));
    await stage.settle(review(), 'Save');
    await stage.button('Reset agent.maxTurns').waitFor({ state: 'detached' });
    await expect.poll(turns).toBe(20);
    await hands.type(page.getByLabel('Find a setting'), 'server.port');
    await page.getByText('Requires a restart of the service').waitFor();
  });

  it('shows the configuration as JSON, and refuses what is none of it', async () => {
    const { page, hands } = stage;
    await hands.pick(page.getByRole('tab', { name: 'JSON' }));
    const overlay = page.getByRole('textbox', {
      name: 'Overlay: values set in the dashboard and the API',
    });
    await hands.type(overlay, '{');
    await page.getByText(/JSON/).last().waitFor();
    await hands.type(overlay, '{"agent": {"maxTurn": 3}}');
    await hands.activate(stage.button('Review and save'));
    await hands.activate(review().getByRole('button', { name: 'Save' }));
    await review()
      .getByText(/unknown configuration key "agent.maxTurn"/)
      .waitFor();
    await hands.dismiss(review());
    await hands.activate(page.getByRole('button', { name: 'Undo', exact: true }));
    await expect.poll(() => overlay.inputValue()).not.toContain('maxTurn"');
    await stage.inspect();
  });

  it('keeps a secret without ever showing it', async () => {
    const { page, hands } = stage;
    await hands.goTo('Secrets');
    await page.getByText('No secrets').waitFor();
    await hands.activate(stage.button('Add a secret').last());
    const form = stage.dialog('Add a secret');
    await hands.type(form.getByLabel('Name'), 'CHAT_KEY');
    await hands.type(form.getByLabel('Value'), 'not-to-be-seen');
    await stage.inspect();
    await hands.submit(form.getByRole('button', { name: 'Save' }));
    await stage.said('CHAT_KEY saved');
    await stage.row('CHAT_KEY').getByText('Not used in the configuration').waitFor();
    expect(await page.content()).not.toContain('not-to-be-seen');
    await stage.inspect();
    await hands.activate(stage.button('Delete CHAT_KEY'));
    await stage.settle(stage.dialog('Delete CHAT_KEY?'), 'Delete secret');
    await page.getByText('No secrets').waitFor();
  });
}
