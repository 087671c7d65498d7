import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec } from '../../control-plane/scripted-provider/step.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { until } from '../support/e2e/until.ts';
import { asksQuestion, byPrompt } from '../support/scripted-model/scripts.ts';

const START_TIMEOUT_MS = 180_000;
const RUN_TIMEOUT_MS = 120_000;
const SLEEP_MS = 600_000;
const TITLE = 'Durations come out wrong';

let open: OpenDashboard;
let page: Page;
let [done, asking, running] = ['', '', ''];
beforeAll(async () => {
  const scripts = [
    { match: 'case:question', script: asksQuestion },
    { match: 'case:long', script: () => exec('sleep 600', SLEEP_MS) },
  ];
  open = await openDashboard({ script: byPrompt(scripts, fixFailingTest()), slots: 2 });
  ({ page } = open);
  const { client } = open.bench;
  done = (await client.createIssue({ title: TITLE })).identifier;
  await client.settled(done);
  asking = (await client.createIssue({ title: 'case:question' })).identifier;
  running = (await client.createIssue({ title: 'case:long' })).identifier;
  await client.commandRunning(running);
  const asked = () => client.must<{ total: number }>('GET', '/requests?state=asked');
  await until(asked, ({ total }) => total === 1, { what: 'it asks', timeoutMs: RUN_TIMEOUT_MS });
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const load = async (path: string, at = page) => {
  await at.goto(path);
  await at.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await at.locator('.skeleton').first().waitFor({ state: 'detached' });
};
const field = (name: string, at = page) => at.getByRole('textbox', { name, exact: true });
/** Everything that stays in the browser when the window is closed. */
const stored = () => page.evaluate<string>('JSON.stringify({ ...localStorage })');

/** Keeps the service from hearing a comment until what it returns is called. */
async function holdComments(): Promise<() => Promise<void>> {
  const held: (() => void)[] = [];
  const comments = '**/comments';
  await page.route(comments, async (route) => {
    if (route.request().method() === 'POST') await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  return async () => {
    await expect.poll(() => held.length).toBe(1);
    for (const go of held) go();
    await page.unrouteAll({ behavior: 'wait' });
  };
}

describe('a new issue', () => {
  const dialog = (at = page) => at.getByRole('dialog', { name: 'New issue' });
  const ask = async (at = page) => {
    await at.getByRole('button', { name: 'New issue' }).first().click();
    await dialog(at).waitFor();
  };
  const given = async (at = page) => [
    await field('Title', at).inputValue(),
    await field('Description', at).inputValue(),
    await dialog(at).getByRole('combobox', { name: 'State' }).inputValue(),
  ];
  const FILLED = ['Half an issue', 'Half a description', 'Backlog'];
  const EMPTY = ['', '', 'Todo'];

  it('half written is kept over a reload, a closed dialog and in another tab', async () => {
    await load('/board');
    await ask();
    expect(await given()).toEqual(EMPTY);
    await field('Title').fill('Half an issue');
    await field('Description').fill('Half a description');
    await dialog().getByRole('combobox', { name: 'State' }).selectOption('Backlog');
    await load('/board');
    await ask();
    expect(await given()).toEqual(FILLED);
    await expectAccessible(page);
    await takePicture(page, 'draft-of-an-issue');
    for (const close of ['Cancel', 'Close']) {
      await dialog().getByRole('button', { name: close, exact: true }).click();
      await dialog().waitFor({ state: 'detached' });
      await ask();
      expect(await given()).toEqual(FILLED);
    }
    const other = await open.context.newPage();
    await load('/board', other);
    await ask(other);
    expect(await given(other)).toEqual(FILLED);
    // What one tab sends is no draft in the other one any more.
    await dialog(other).getByRole('button', { name: 'Create issue' }).click();
    await dialog(other).waitFor({ state: 'detached' });
    await expect.poll(() => given()).toEqual(EMPTY);
    await other.close();
    await load('/board');
    await ask();
    expect(await given()).toEqual(EMPTY);
  });

  it('is forgotten when a person discards it', async () => {
    await load('/board');
    await ask();
    await field('Title').fill('Not so good');
    await dialog().getByRole('button', { name: 'Discard draft' }).click();
    expect(await given()).toEqual(EMPTY);
    expect(await dialog().getByRole('button', { name: 'Discard draft' }).count()).toBe(0);
    await load('/board');
    await ask();
    expect(await given()).toEqual(EMPTY);
    expect(await stored()).not.toContain('Not so good');
  });
});

describe('a text half written', () => {
  it('is kept: a comment, until it is sent', async () => {
    await load(`/issues/${done}`);
    await field('Comment').fill('Please look again');
    await load(`/issues/${done}`);
    await expect.poll(() => field('Comment').inputValue()).toBe('Please look again');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await expect.poll(() => field('Comment').inputValue()).toBe('');
    expect(await stored()).not.toContain('Please look again');
  });

  it('is kept: guidance for a running agent', async () => {
    await load(`/issues/${running}`);
    await field('Guidance for the agent').fill('Not so fast');
    await load(`/issues/${running}`);
    await expect.poll(() => field('Guidance for the agent').inputValue()).toBe('Not so fast');
  });

  it('is kept: an answer', async () => {
    await load(`/issues/${asking}`);
    const answer = field('Other answer').or(page.locator('.answer input[type=text]')).first();
    await answer.fill('A warm grey');
    await load(`/issues/${asking}`);
    await expect.poll(() => answer.inputValue()).toBe('A warm grey');
  });

  it('is kept: a comment on a line, which does not take the focus', async () => {
    await load(`/issues/${done}?view=changes`);
    const sign = page.getByRole('button', { name: /^Comment line 11 of/ }).first();
    await sign.click();
    await field('Comment on this line').fill('Why floor?');
    await load(`/issues/${done}?view=changes`);
    await expect.poll(() => field('Comment on this line').inputValue()).toBe('Why floor?');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
    await page.getByRole('button', { name: 'Add comment' }).click();
    // Another window shows what waits to be sent.
    const other = await open.context.newPage();
    await load(`/issues/${done}?view=changes`, other);
    await other.getByText('1 comment', { exact: true }).waitFor();
    await other.getByText('Why floor?').waitFor();
    await other.getByRole('button', { name: 'Remove the comment' }).click();
    await other.close();
    // Here it is gone as well, and does not come back with the next one.
    await page.getByText('Why floor?').waitFor({ state: 'detached' });
    expect(await stored()).not.toContain('Why floor?');
  });

  it('is kept: a template, until its changes are discarded', async () => {
    await load('/templates?id=new');
    await page.getByPlaceholder('Name of the template').fill('Careful');
    await page.locator('textarea').fill('Take your time.');
    await load('/templates?id=new');
    await expect.poll(() => page.locator('textarea').inputValue()).toBe('Take your time.');
    expect(await page.getByPlaceholder('Name of the template').inputValue()).toBe('Careful');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await load('/templates?id=new');
    expect(await page.locator('textarea').inputValue()).not.toContain('Take your time.');
  });

  it.each([
    ['automations', 'automations'],
    ['alerts', 'alerts.rules'],
  ])('is kept: %s, and nothing of a setting that may be a key', async (section, path) => {
    await load(`/config?section=${section}`);
    await field(path).fill('[{ "name": "nightly"');
    await page.getByText('1 change not saved').waitFor();
    await load(`/config?section=engine`);
    const key = page.getByLabel('engine.provider.apiKey', { exact: true });
    await key.fill('sk-typed-by-hand');
    await page.getByText('2 changes not saved').waitFor();
    await load(`/config?section=${section}`);
    await expect.poll(() => field(path).inputValue()).toBe('[{ "name": "nightly"');
    expect(await stored()).not.toContain('sk-typed-by-hand');
    await page.getByRole('button', { name: 'Discard all' }).click();
    await load(`/config?section=${section}`);
    expect(await field(path).inputValue()).not.toContain('nightly');
  });

  it('is kept: automations, while another tab changes another setting', async () => {
    const other = await open.context.newPage();
    await load('/config?section=engine', other);
    await load('/config?section=automations');
    await field('automations').fill('[{ "name": "weekly"');
    await page.getByText('1 change not saved').waitFor();
    await other.getByLabel('engine.provider.apiKey', { exact: true }).fill('sk-typed-by-hand');
    await other.getByText(/changes? not saved/).waitFor();
    await load('/config?section=automations');
    expect(await field('automations').inputValue()).toBe('[{ "name": "weekly"');
    // What is discarded in one tab does not come back from the other one.
    await page.getByRole('button', { name: 'Discard all' }).click();
    await other.getByText('1 change not saved').waitFor();
    await other.close();
    expect(await stored()).not.toContain('weekly');
  });

  it('is kept: comments on lines, also beside one with a password in it', async () => {
    await load(`/issues/${done}?view=changes`);
    for (const [line, text] of [
      [10, 'Why here?'],
      [11, 'Like https://someone:secret@git.example/app.git'],
    ] as const) {
      const sign = page.getByRole('button', { name: new RegExp(`^Comment line ${line} of`) });
      await sign.first().click();
      await field('Comment on this line').fill(text);
      await page.getByRole('button', { name: 'Add comment' }).click();
    }
    await page.getByText('2 comments', { exact: true }).waitFor();
    expect(await stored()).not.toContain('someone:secret');
    await load(`/issues/${done}?view=changes`);
    await page.getByText('Why here?').waitFor();
    await page.getByText('1 comment', { exact: true }).waitFor();
  });

  it('is forgotten once it is sent, also where the page was left before the answer', async () => {
    const release = await holdComments();
    await load(`/issues/${done}?view=changes`);
    await page.getByText('1 comment', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send and retry' }).click();
    await page.locator('.rail').getByRole('link', { name: 'Costs' }).click();
    await page.getByRole('heading', { name: 'Costs', level: 1 }).waitFor();
    await release();
    await page.getByText('Comment sent; retrying.').waitFor();
    await expect.poll(stored).not.toContain('Why here?');
  });

  it('is that of its issue, also where another one is opened before the answer', async () => {
    await load(`/issues/${done}`);
    await field('Comment').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(running);
    await page
      .getByRole('option', { name: new RegExp(`^${running}`) })
      .first()
      .click();
    await page.waitForURL((url) => url.pathname === `/issues/${running}`);
    await page.getByRole('radio', { name: 'As a comment' }).check();
    const release = await holdComments();
    await field('Comment').fill('For the running one');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.goBack();
    await page.waitForURL((url) => url.pathname === `/issues/${done}`);
    await field('Comment').fill('For the other one');
    await release();
    await expect.poll(stored).not.toContain('For the running one');
    expect(await field('Comment').inputValue()).toBe('For the other one');
  });

  it('is gone with the session', async () => {
    await load(`/issues/${done}`);
    await field('Comment').fill('For my eyes');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('Sign out');
    await page.getByRole('option', { name: 'Sign out', exact: true }).click();
    await page.locator('.toast').filter({ hasText: 'Signed out' }).waitFor();
    expect(await stored()).not.toContain('For my eyes');
    await expect.poll(() => field('Comment').inputValue()).toBe('');
    expect(open.problems).toEqual([]);
  });
});
