import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';
import type { Issues } from './work.ts';

/** One issue: its log, what an attempt did when, and what a person can do with it. */
export function inspectorScenarios(stage: Stage, issues: () => Issues): void {
  it('finds in the log, filters it and opens what a command printed', async () => {
    const { page, hands } = stage;
    await hands.openIssue(issues().fixed);
    const log = page.getByRole('log');
    await log.getByText('Ended', { exact: true }).waitFor();
    await stage.inspect();
    const find = page.getByRole('searchbox', { name: 'Find in log' });
    await hands.type(find, 'err_assertion');
    await page.getByText(/^0 of \d+$/).waitFor();
    await hands.activate(stage.button('Next match'));
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.locator('.log-slot.current').getByText('ERR_ASSERTION').first().waitFor();
    await hands.type(find, '');
    const filter = page.getByRole('combobox', { name: 'Filter log' });
    const [all = '', ...others] = await filter.locator('option').allTextContents();
    const changes = others.find((name) => /change/i.test(name)) ?? '';
    await hands.choose(filter, changes);
    await log.getByText('Math.floor').first().waitFor();
    await expect.poll(() => log.locator('.item-command').count()).toBe(0);
    await hands.choose(filter, all);
    const command = log.getByRole('button', { name: /node --test 2>&1/ }).first();
    await command.waitFor();
    const wasOpen = await command.getAttribute('aria-expanded');
    await hands.activate(command);
    await expect.poll(() => command.getAttribute('aria-expanded')).not.toBe(wasOpen);
  });

  it('shows what an attempt did when, and what it saved', async () => {
    const { page, hands } = stage;
    const side = page.getByRole('complementary', { name: 'About this issue' });
    await side.getByText('Saved before delivery').waitFor();
    await hands.activate(page.getByRole('link', { name: 'Timeline' }));
    const lanes = stage.region('Timeline');
    await lanes.getByText(/^turn 1, /).waitFor();
    await lanes.locator('.lane-delivery').nth(1).waitFor();
    await stage.inspect();
  });

  it('chooses a model for the next attempt', async () => {
    const { hands, client } = stage;
    const { fixed } = issues();
    await hands.activate(stage.button('Model'));
    const form = stage.dialog(`Engine, model and template of ${fixed}`);
    await hands.type(form.getByLabel('Model'), 'another-model');
    await hands.choose(form.getByLabel('Reasoning effort'), 'high');
    await stage.inspect();
    await hands.submit(form.getByRole('button', { name: 'Save' }));
    await form.waitFor({ state: 'detached' });
    expect((await client.issue(fixed)).model).toBe('another-model');
  });

  it('steers the agent while it works', async () => {
    const { page, hands } = stage;
    await hands.openIssue(issues().listening);
    await page.getByRole('log').getByText('sleep 300').first().waitFor();
    await hands.type(page.getByRole('textbox', { name: 'Guidance for the agent' }), 'Hurry up');
    await stage.inspect();
    await hands.submit(stage.button('Send'));
    await stage.said(/Message sent|Message queued/);
  });

  it('stops the agent after a question, tries again, and moves the issue away', async () => {
    const { page, hands, client } = stage;
    const { listening } = issues();
    const question = stage.dialog(`Stop ${listening}?`);
    await hands.activate(stage.button('Stop'));
    await stage.inspect();
    await hands.dismiss(question);
    expect((await client.issue(listening)).status).toBe('running');
    await hands.activate(stage.button('Stop'));
    await hands.activate(question.getByRole('button', { name: 'Stop' }));
    await page.getByText('Stopped by you').first().waitFor();
    await hands.activate(stage.button('Retry'));
    await client.commandRunning(listening);
    await page.locator('.issue-state').getByText('Running').waitFor();
    await hands.activate(stage.button('Move'));
    const states = stage.dialog(`Move ${listening} to`);
    await stage.inspect();
    await hands.activate(states.getByRole('button', { name: 'Canceled' }));
    await hands.activate(stage.button('Move and stop'));
    await page.locator('.issue-state').getByText('Canceled').waitFor();
    expect(await client.settled(listening)).toMatchObject({ state: 'Canceled' });
  });
}
