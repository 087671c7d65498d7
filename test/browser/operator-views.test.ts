import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asksQuestion,
  byPrompt,
  fixFailingTest,
} from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { pressChord } from '../support/browser/press-chord.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { typeWhenFocused } from '../support/browser/type-when-focused.ts';
import { createRunnerIdentity } from '../support/core/runner-identity.ts';
import { type FakeReceiver, startFakeReceiver } from '../support/receivers/fake-receiver.ts';

/** For anything that a loaded machine may take its time for. */
const WAIT_MS = 45_000;
const START_TIMEOUT_MS = 180_000;
const RUN_TIMEOUT_MS = 90_000;
const ENGINE_TIMEOUT_MS = 40_000;

const AUTOMATIONS = [
  { name: 'nightly', schedule: '0 3 * * *', mode: 'implement', prompt: 'case:nightly' },
];
const RULES = [
  {
    name: 'attempts fail',
    condition: { event: 'attempt.ended', outcome: 'failed' },
    threshold: 3,
    windowMs: 600_000,
  },
];

// One service and one open page for all views: the order matters.
describe('the views of operation', () => {
  let open: OpenDashboard;
  let page: Page;
  let chat: FakeReceiver;
  /** The automation's agent does nothing before that. */
  const nightMayEnd = Promise.withResolvers<void>();
  beforeAll(async () => {
    chat = await startFakeReceiver();
    const channels = [{ type: 'chat', name: 'ops', webhookUrl: chat.url, verbosity: 'critical' }];
    const work = fixFailingTest();
    open = await openDashboard({
      script: byPrompt(
        [
          { match: 'case:question', script: asksQuestion },
          {
            match: 'case:nightly',
            script: async (request) => {
              await nightMayEnd.promise;
              return work(request);
            },
          },
        ],
        work,
      ),
      config: {
        automations: JSON.stringify(AUTOMATIONS),
        'alerts.rules': JSON.stringify(RULES),
        'notifications.channels': JSON.stringify(channels),
        'triggers.apiKey': 'trigger-key',
      },
      // Some of what is tried is refused, for good reason.
      mayRefuse: true,
    });
    ({ page } = open);
    page.setDefaultTimeout(WAIT_MS);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    nightMayEnd.resolve();
    await open?.close();
    await chat?.close();
  });

  const row = (text: string) => page.locator('.rows > li, tbody > tr').filter({ hasText: text });
  const said = (text: string | RegExp) =>
    page.locator('.toast').filter({ hasText: text }).waitFor();
  const dialog = (name: string) => page.getByRole('dialog', { name });

  /** Goes to a view by its chord alone. */
  async function go(chord: string, title: string): Promise<void> {
    await page.keyboard.press('Escape');
    await page.evaluate('document.activeElement?.blur()');
    await pressChord(page, 'g', chord);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  }
  async function looksRight(): Promise<void> {
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
  }

  it('runs an automation by hand, and shows the run', async () => {
    await page.goto('/');
    await page.getByText('Live', { exact: true }).waitFor();
    await go('a', 'Automations');
    await row('nightly').getByText('0 3 * * *').waitFor();
    await page.getByRole('button', { name: 'Run now: nightly' }).press('Enter');
    await said('nightly has started');
    await page.getByRole('region', { name: 'Runs' }).getByText('SY-1').waitFor();
    await looksRight();
  });

  it('shows a dead letter with its body, and processes it once more', async () => {
    await go('h', 'Webhooks');
    await page.getByText('Everything that came was processed.').waitFor();
    const answer = await open.bench.client.send('/api/v1/webhooks/trigger', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Service-Trigger-Key': 'trigger-key' },
      body: JSON.stringify({ action: 'run_automation', automation_name: 'nightly' }),
    });
    expect(answer.status).toBe(202);
    await row('run_automation').getByText('automation nightly is running').waitFor();
    await page.getByRole('region', { name: 'Triggers' }).getByText('Gave up on some').waitFor();
    await looksRight();
    await page.getByRole('button', { name: /^Show run_automation/ }).press('Enter');
    await page.getByLabel('Body').getByText('"automation_name": "nightly"').waitFor();
    await page.keyboard.press('Escape');
    nightMayEnd.resolve();
    expect(await open.bench.client.settled('SY-1')).toMatchObject({ status: 'completed' });
    await page.getByRole('button', { name: /^Replay run_automation/ }).click();
    await said('waits to be processed once more');
    await page.getByText('Everything that came was processed.').waitFor();
  });

  it("answers an agent's question by keyboard, and keeps the receipt", async () => {
    await open.bench.client.createIssue({ title: 'case:question' });
    await go('i', 'Inbox');
    const question = page.getByText('Which colour should the button have?').first();
    await question.waitFor({ timeout: RUN_TIMEOUT_MS });
    await looksRight();
    await page.getByRole('radio', { name: /Blue/ }).focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: /Green/ }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Send answer' }).press('Enter');
    const receipt = row('Which colour');
    await receipt.getByText('Resumed', { exact: true }).waitFor({ timeout: RUN_TIMEOUT_MS });
    await receipt.getByText('agent resumed').waitFor();
    expect(await receipt.textContent()).toContain('Green');
  });

  it('marks notifications read, and tries a channel', async () => {
    await go('n', 'Notifications');
    await row('asks: Which colour').getByText('Needs you').waitFor();
    await looksRight();
    await page.getByRole('button', { name: /^Mark read: .*asks/ }).press('Enter');
    await row('asks: Which colour').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await page.getByText('All read', { exact: true }).waitFor();
    await page.getByRole('tab', { name: /Unread/ }).press('ArrowRight');
    await row('asks: Which colour').waitFor();
    await page.getByRole('button', { name: 'Send a test over ops' }).click();
    await said('ops took the test message');
    expect(chat.received.length).toBeGreaterThan(0);
  });

  it('says what alert rules watch and found', async () => {
    await go('l', 'Alerts');
    await row('attempts fail')
      .getByText('at least 3 × attempt.ended (failed) within 10 min')
      .waitFor();
    const findings = page.getByRole('region', { name: 'Findings' });
    await findings.getByText('Quiet').first().waitFor();
    await findings.getByRole('combobox').selectOption('attempts fail');
    await findings.getByText('attempts fail').last().waitFor();
    await looksRight();
  });

  it('edits a template beside what becomes of it', async () => {
    await go('t', 'Templates');
    await page.getByLabel('Rendered prompt').getByText('Add a page for orders').waitFor();
    await page.getByRole('button', { name: 'Copy to change it' }).press('Enter');
    const body = page.getByRole('textbox', { name: 'Prompt, in Liquid' });
    await page.getByRole('button', { name: 'Saved' }).waitFor();
    await body.fill('Do {{ issue.title | upcase }} now.');
    await page.getByText('Do ADD A PAGE FOR ORDERS now.').waitFor();
    await body.fill('Do {{ issue.titel }}.');
    await page.getByRole('region', { name: 'Preview' }).getByText(/titel/).waitFor();
    await body.fill('Do {{ issue.title }}.');
    await page.getByText('Do Add a page for orders.').waitFor();
    await looksRight();
    await page.getByRole('textbox', { name: 'Name' }).fill('Short');
    await page.keyboard.press('Enter');
    await said('Short is saved');
    const { templates } = await open.bench.client.must<{
      templates: { name: string; body: string }[];
    }>('GET', '/templates');
    expect(templates).toContainEqual(
      expect.objectContaining({ name: 'Short', body: 'Do {{ issue.title }}.' }),
    );
    await page.getByRole('button', { name: /^Delete/ }).click();
    await dialog('Delete Short?').getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('link', { name: /Short/ }).waitFor({ state: 'detached' });
  });

  it('changes a setting after a look at the difference, and takes it back', async () => {
    const { client } = open.bench;
    const turns = async () =>
      (await client.must<{ agent: { maxTurns: number } }>('GET', '/config')).agent.maxTurns;
    await go('c', 'Configuration');
    await page.getByRole('link', { name: 'agent', exact: true }).press('Enter');
    const field = page.getByRole('textbox', { name: 'agent.maxTurns' });
    await field.fill('many');
    await page.getByText('must be a number').waitFor();
    await field.fill('7');
    await looksRight();
    await page.getByRole('button', { name: 'Review and save' }).press('Enter');
    const review = dialog('Save these changes?');
    await review.locator('del').getByText('20').waitFor();
    await review.locator('ins').getByText('7').waitFor();
    expect(await turns()).toBe(20);
    await review.getByRole('button', { name: 'Save' }).press('Enter');
    await said('1 change saved');
    expect(await turns()).toBe(7);
    await page.getByRole('button', { name: 'Reset agent.maxTurns' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await review.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Reset agent.maxTurns' }).waitFor({ state: 'detached' });
    await expect.poll(turns).toBe(20);
    await page.getByLabel('Find a setting').fill('server.port');
    await page.getByText('Needs a restart of the service').waitFor();
  });

  it('shows the configuration as JSON, and refuses what is none of it', async () => {
    await page.getByRole('tab', { name: 'Form' }).press('ArrowRight');
    const overlay = page.getByRole('textbox', { name: 'Overlay: what is set here' });
    await overlay.fill('{');
    await page.getByText(/JSON/).last().waitFor();
    await overlay.fill('{"agent": {"maxTurn": 3}}');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = dialog('Save these changes?');
    await review.getByRole('button', { name: 'Save' }).click();
    await review.getByText(/unknown configuration key "agent.maxTurn"/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await looksRight();
  });

  it('keeps a secret without ever showing it', async () => {
    await go('k', 'Secrets');
    await page.getByText('No secrets').waitFor();
    await page.getByRole('button', { name: 'Add a secret' }).first().press('Enter');
    await typeWhenFocused(page, 'CHAT_KEY');
    await page.keyboard.press('Tab');
    await typeWhenFocused(page, 'not-to-be-seen');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await said('CHAT_KEY is stored');
    await row('CHAT_KEY').getByText('Not named in the configuration').waitFor();
    expect(await page.content()).not.toContain('not-to-be-seen');
    await looksRight();
    await page.getByRole('button', { name: 'Delete CHAT_KEY' }).click();
    await dialog('Delete CHAT_KEY?').getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('No secrets').waitFor();
  });

  it('adds and removes a repository, and says which one is reached', async () => {
    await go('u', 'Repositories');
    await row('project.git').getByText('Reached').waitFor();
    await looksRight();
    await page.getByLabel('Issues by').selectOption('label');
    await page.getByLabel('Prefix or label').fill('docs');
    await page.getByRole('textbox', { name: 'Repository' }).fill('file:///nowhere/docs.git');
    await page.keyboard.press('Enter');
    await row('label docs').waitFor();
    await page.getByRole('button', { name: 'Remove file:///nowhere/docs.git' }).press('Enter');
    await dialog('Remove this route?').getByRole('button', { name: 'Remove' }).press('Enter');
    await row('label docs').waitFor({ state: 'detached' });
  });

  it('drains a runner and takes it back, and hears of a new one', async () => {
    await go('r', 'Runners');
    await page.getByText('None: agents run as plain processes').waitFor();
    await looksRight();
    await page.getByRole('button', { name: /^Drain/ }).press('Enter');
    await page.getByRole('button', { name: 'Drain it' }).press('Enter');
    await page.getByText('Draining').first().waitFor();
    await page.getByRole('button', { name: /^Back into service/ }).press('Enter');
    await page.getByText('Connected').first().waitFor();
    await page.getByRole('button', { name: 'Add a runner' }).click();
    const add = dialog('Add a runner');
    const command = await add.getByText(/npm run runner -- join/).textContent();
    const [, url = '', token = ''] = /join (\S+) --token (\S+)/.exec(command ?? '') ?? [];
    const identity = await createRunnerIdentity('second');
    const joined = await fetch(`${url}/api/v1/runners/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(identity.joinRequest()),
    });
    expect(joined.status).toBeLessThan(300);
    await add.getByText('second has joined.').waitFor({ timeout: 40_000 });
    await add.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke second' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.getByRole('region', { name: 'second' }).getByText('Revoked').waitFor();
  });

  it('frees the disk of a workspace that nobody uses', async () => {
    await go('w', 'Workspaces');
    await row('SY-1').getByText('Idle').waitFor();
    await looksRight();
    await page.getByRole('button', { name: 'Remove SY-1' }).press('Enter');
    await dialog('Remove the workspace of SY-1?')
      .getByRole('button', { name: 'Remove it' })
      .press('Enter');
    await said('freed');
    await row('SY-1').waitFor({ state: 'detached' });
  });

  it('shows who changed what, and that the chain holds', async () => {
    await go('d', 'Audit');
    await row('workspace.remove').waitFor();
    await page.getByRole('button', { name: 'Check the chain' }).press('Enter');
    await page.getByText(/\d+ entries hold/).waitFor();
    await looksRight();
  });

  it('asks the engine for its account, threads and features', async () => {
    await go('e', 'Engine');
    await page.getByText('Works with a key').waitFor({ timeout: ENGINE_TIMEOUT_MS });
    await looksRight();
    await page.getByRole('tab', { name: 'Account and limits' }).press('ArrowRight');
    await row('You work on issue SY-1').waitFor({ timeout: ENGINE_TIMEOUT_MS });
    await page.getByRole('button', { name: /^Read You work on issue SY-1/ }).press('Enter');
    await page.getByLabel('History').getByText('Agent').first().waitFor();
    await page.keyboard.press('Escape');
    await looksRight();
    await page.getByRole('tab', { name: 'MCP servers' }).click();
    await page.getByText('No MCP servers').waitFor({ timeout: ENGINE_TIMEOUT_MS });
    await page.getByRole('tab', { name: 'Features' }).click();
    await page.getByRole('heading', { name: 'Capabilities' }).waitFor();
    await page.getByLabel('Find a feature').fill('unified_exec');
    await page.getByText('unified_exec', { exact: true }).waitFor();
    await looksRight();
  });

  it('says so in every view while the service does not answer', async () => {
    const refuse = (match: string) =>
      page.route(match, (route) =>
        route.fulfill({ status: 503, json: { error: 'closed for now', status: 503 } }),
      );
    await refuse('**/api/v1/workspaces*');
    await page.goto('/workspaces');
    await page.getByRole('alert').getByText('closed for now').waitFor({ timeout: 30_000 });
    await page.unroute('**/api/v1/workspaces*');
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await row('SY-2').waitFor();
    expect(open.problems).toEqual([]);
  });
});
