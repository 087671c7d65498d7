import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';

/** Alerts, templates and repositories. */
export function ruleScenarios(stage: Stage): void {
  it('says what alert rules watch and found', async () => {
    const { hands } = stage;
    await hands.goTo('Alerts');
    await stage
      .row('attempts fail')
      .getByText('at least 3 × attempt.ended (failed) within 10 min')
      .waitFor();
    const findings = stage.region('Alert history');
    await findings.getByText('OK').first().waitFor();
    await hands.choose(findings.getByRole('combobox'), 'attempts fail');
    await findings.locator('.rows').getByText('attempts fail').waitFor();
    await stage.inspect();
  });

  it('edits a template beside what becomes of it', async () => {
    const { page, hands, client } = stage;
    await hands.goTo('Templates');
    await page.getByLabel('Rendered prompt').getByText('Add a page for orders').waitFor();
    await hands.activate(stage.button('Duplicate to edit'));
    const body = page.getByRole('textbox', { name: 'Prompt, in Liquid' });
    await stage.button('Saved').waitFor();
    await hands.type(body, 'Do {{ issue.title | upcase }} now.');
    await page.getByText('Do ADD A PAGE FOR ORDERS now.').waitFor();
    await hands.type(body, 'Do {{ issue.titel }}.');
    await stage.region('Preview').getByText(/titel/).waitFor();
    await hands.type(body, 'Do {{ issue.title }}.');
    await page.getByText('Do Add a page for orders.').waitFor();
    await stage.inspect();
    await hands.type(page.getByRole('textbox', { name: 'Name' }), 'Short');
    await hands.submit(stage.button('Save'));
    await stage.said('Short saved');
    const { templates } = await client.must<{ templates: { name: string; body: string }[] }>(
      'GET',
      '/templates',
    );
    expect(templates).toContainEqual(
      expect.objectContaining({ name: 'Short', body: 'Do {{ issue.title }}.' }),
    );
    await hands.activate(stage.button(/^Delete/));
    await stage.settle(stage.dialog('Delete Short?'), 'Delete template');
    await page.getByRole('link', { name: /Short/ }).waitFor({ state: 'detached' });
  });

  it('adds a repository with a secret and removes it, and says which one is reached', async () => {
    const { page, hands } = stage;
    const added = stage.row('label docs');
    await hands.goTo('Repositories');
    await stage.row('project.git').getByText('Reachable').waitFor();
    await stage.inspect();
    await hands.choose(page.getByLabel('Match issues by'), 'label');
    await hands.type(page.getByLabel('Prefix or label'), 'docs');
    await hands.type(page.getByRole('textbox', { name: 'Repository' }), 'file:///nowhere/docs.git');
    await hands.pick(page.getByRole('checkbox', { name: /^Allow MCP servers/ }));
    await hands.activate(stage.button('Grant a secret'));
    await hands.type(page.getByLabel('Stored secret'), 'NPM_TOKEN');
    await hands.type(page.getByLabel('For hosts'), 'npm.example');
    await stage.inspect();
    await hands.submit(page.getByRole('button', { name: 'Add', exact: true }));
    await added.getByText('NPM_TOKEN for npm.example, read only').waitFor();
    await added.getByText('MCP servers of the repository are allowed').waitFor();
    await hands.activate(stage.button('Remove /nowhere/docs.git'));
    await stage.settle(stage.dialog('Remove this route?'), 'Remove');
    await added.waitFor({ state: 'detached' });
  });
}
