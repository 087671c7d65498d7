import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';

const CHECK_TIMEOUT_MS = 45_000;
/** For anything that a loaded machine may take its time for. */
const WAIT_MS = 45_000;
const START_TIMEOUT_MS = 180_000;
const RUN_TIMEOUT_MS = 90_000;
const MISSING = 'file:///no/such/place.git';
/** As people are shown it. */
const MISSING_PATH = '/no/such/place.git';

// One person's way from nothing to a pull request: the order matters.
describe('the setup wizard, from a bare start', () => {
  let open: OpenDashboard;
  let page: Page;
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest(), bare: true, mayRefuse: true });
    ({ page } = open);
    page.setDefaultTimeout(WAIT_MS);
  }, START_TIMEOUT_MS);
  afterAll(() => open?.close());

  const step = () => page.locator('.wizard-step');
  const listed = (title: string, state = '') =>
    page
      .getByRole('navigation', { name: 'Steps' })
      .getByRole('link', { name: new RegExp(`^${title}.*${state}`) });
  const checked = (text: string | RegExp) =>
    step().locator('.live-check').getByText(text).first().waitFor({ timeout: CHECK_TIMEOUT_MS });
  /** The step on the right is done, and so it stands in the list. */
  async function isDone(title: string): Promise<void> {
    await step().locator('header').getByText('Done', { exact: true }).waitFor();
    await listed(title, ', done').waitFor();
  }
  async function looksRight(): Promise<void> {
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
  }

  /** What has a default stands under "More". */
  async function openMore(title: string): Promise<void> {
    const entry = listed(title);
    if (!(await entry.isVisible())) await page.locator('.wizard-steps summary').click();
    await entry.click();
  }

  it('begins with the repository, and has what needs nobody under "More"', async () => {
    await page.goto('/setup');
    await page.getByRole('heading', { name: 'Repository' }).waitFor();
    await page.getByText('0 of 3 steps done').waitFor();
    const shown = page.getByRole('navigation', { name: 'Steps' }).locator('a:visible');
    expect((await shown.allInnerTexts()).map((text) => text.split(/[,\n]/)[0])).toEqual([
      'Repository',
      'Model provider',
      'First issue',
    ]);
    expect(await page.getByText('There is no repository yet').count()).toBe(0);
    await looksRight();
    await openMore('Master key');
    await page.getByRole('heading', { name: 'Master key' }).waitFor();
  });

  it('knows a good copy of the master key from another key', async () => {
    const { dataDir } = open.bench.service;
    await page.goto('/setup?step=master_key');
    await page.getByRole('heading', { name: 'Master key' }).waitFor();
    await step().getByText(`cat '${dataDir}/master.key'`).waitFor();
    await looksRight();
    const copy = page.getByLabel('Verify backup (optional)');
    await copy.fill('0'.repeat(64));
    await copy.press('Enter');
    await step().getByText('this is another key').waitFor();
    const [key = ''] = (await readFile(join(dataDir, 'master.key'), 'utf8')).split('\n');
    await copy.fill(key);
    await copy.press('Enter');
    await isDone('Master key');
    await expect.poll(() => copy.inputValue()).toBe('');
    expect(await page.content()).not.toContain(key);
  });

  it('takes the built-in tracker, which is there', async () => {
    await openMore('Tracker');
    await page.getByRole('heading', { name: 'Tracker' }).waitFor();
    await page.getByRole('radio', { name: /Built in/, checked: true }).waitFor();
    await checked('The tracker answers');
    await isDone('Tracker');
    await looksRight();
  });

  it('shows in its own words what an upstream refuses, and keeps nothing then', async () => {
    await page.getByRole('radio', { name: /^Linear/ }).check();
    await page.getByRole('tab', { name: 'OAuth' }).click();
    await page.getByText(`${new URL(page.url()).origin}/setup`, { exact: true }).waitFor();
    await looksRight();
    await page.getByRole('radio', { name: /GitHub issues/ }).check();
    await page.getByLabel('Token').fill('ghp_wrong');
    // Nobody listens there: as good as a GitHub that is away.
    await page.getByLabel(/API URL/).fill('http://127.0.0.1:9');
    await page.getByRole('button', { name: 'Connect GitHub' }).click();
    await step()
      .getByText(/GitHub is out of reach: .*user/)
      .waitFor();
    expect(await open.bench.client.must('GET', '/secrets')).toMatchObject({ keys: [] });
    await page.getByRole('radio', { name: /Built in/ }).check();
  });

  it('has a runner look at the repository', async () => {
    await listed('Repository').click();
    await page.getByRole('heading', { name: 'Repository' }).waitFor();
    const address = page.getByRole('textbox', { name: 'Repository' });
    await address.fill(MISSING);
    await page.reload();
    await expect.poll(() => address.inputValue()).toBe(MISSING);
    await address.press('Enter');
    const why = page.getByText(
      /its operator can start it with "switchyard start --allow-folder \S+ \/no\/such"/,
    );
    // No button: another key would remove what was just added.
    const hasFocus = (path: string) =>
      step()
        .locator('.repo-routes > li:focus')
        .filter({ has: page.getByText(path, { exact: true }) })
        .waitFor();
    const fails = async () => {
      await step().locator('header').getByText('Check failed').waitFor();
      await step().locator('.repo-routes').filter({ has: why }).waitFor();
      await checked('See above');
      expect(await why.count()).toBe(1);
      expect(await page.locator('.toast').count()).toBe(0);
      await hasFocus(MISSING_PATH);
    };
    await fails();
    await step()
      .getByRole('button', { name: `Remove ${MISSING_PATH}` })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await step().getByRole('button', { name: 'Add repository' }).waitFor();
    // The prefix is the tracker's own: nothing that one is asked.
    expect(await page.getByLabel('Prefix or label').count()).toBe(0);
    await address.fill(MISSING);
    await address.press('Enter');
    await fails();
    await step()
      .getByRole('button', { name: `Correct ${MISSING_PATH}` })
      .click();
    const corrected = page.getByLabel('Corrected address');
    expect(await corrected.inputValue()).toBe(MISSING_PATH);
    await looksRight();
    // What nobody can take for an address is refused, and the route stays.
    await corrected.fill('no address');
    await corrected.press('Enter');
    await step().locator('.problem').filter({ hasText: 'url' }).first().waitFor();
    await step()
      .getByRole('button', { name: `Remove ${MISSING_PATH}` })
      .waitFor();
    await corrected.fill(`${MISSING_PATH}-too`);
    await corrected.press('Enter');
    await hasFocus(`${MISSING_PATH}-too`);
    await looksRight();
    await step()
      .getByRole('button', { name: `Correct ${MISSING_PATH}-too` })
      .click();
    await corrected.fill(open.bench.repository.path);
    await corrected.press('Enter');
    await page.getByRole('heading', { name: 'Model provider' }).waitFor();
    await listed('Repository').click();
    await step().getByText(open.bench.repository.path).first().waitFor();
    await checked('A runner reaches every repository');
    await isDone('Repository');
    await looksRight();
  });

  it('tries the provider before it keeps a key', async () => {
    const { provider, apiKey, client } = open.bench;
    await listed('Model provider').click();
    await page.getByRole('radio', { name: /Custom endpoint/ }).check();
    await page.getByLabel('Base URL').fill(provider.url);
    await page.getByLabel('Name', { exact: true }).fill('scripted');
    await page.getByLabel('Model', { exact: true }).fill('scripted-model');
    await page.getByLabel('API key', { exact: true }).fill('sk-wrong');
    await page.getByRole('button', { name: 'Connect the provider' }).click();
    await step().getByText('Incorrect API key provided').first().waitFor();
    await page.getByRole('button', { name: 'Save anyway' }).waitFor();
    expect(await client.must('GET', '/secrets')).toMatchObject({ keys: [] });
    // Whoever comes back finds the form as they left it, without the key.
    await page.reload();
    await expect.poll(() => page.getByLabel('Base URL').inputValue()).toBe(provider.url);
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('scripted-model');
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('API key', { exact: true }).fill(apiKey);
    await page.getByRole('button', { name: 'Connect the provider' }).press('Space');
    await page.getByRole('heading', { name: 'First issue' }).waitFor();
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toBe('First issue');
    await listed('Model provider').click();
    await checked('The provider takes the key');
    await isDone('Model provider');
    await expect.poll(() => page.getByLabel('API key', { exact: true }).inputValue()).toBe('');
    expect(await page.content()).not.toContain(apiKey);
    await looksRight();
  });

  it('needs no code host for a repository on the runner', async () => {
    await openMore('Code host');
    await checked('Pull requests can be opened for every repository');
    await isDone('Code host');
  });

  it('starts an engine on the runner, and has the command for another one', async () => {
    await openMore('Runner');
    await checked(/Its engine starts: codex/);
    await page.getByRole('button', { name: 'Add a runner' }).click();
    await step()
      .getByText(/switchyard runner join http:\S+ --token \S+/)
      .waitFor();
    await isDone('Runner');
    await looksRight();
  });

  it('goes on where it was left, in another window too', async () => {
    const other = await open.context.newPage();
    await other.goto('/setup');
    await other.getByRole('heading', { name: 'First issue' }).waitFor();
    const steps = other.getByRole('navigation', { name: 'Steps' });
    await expect.poll(() => steps.getByText(', done').count()).toBe(6);
    await other.close();
  });

  it('ends with an issue that became a pull request', async () => {
    const { client, repository } = open.bench;
    await listed('First issue').click();
    await page.getByRole('button', { name: 'Create the test issue' }).click();
    await step().getByText('The setup works end to end.').waitFor({ timeout: RUN_TIMEOUT_MS });
    await isDone('First issue');
    await looksRight();
    await step().getByRole('link', { name: 'PR', exact: true }).click();
    await page.locator('.diff .line.add').first().waitFor();
    const { branch } = await client.pullRequestOf('SY-1');
    expect(await repository.git('rev-parse', '--verify', branch)).toMatch(/^[0-9a-f]{40}$/);
  });

  it('left a trail without any secret in it', async () => {
    const { client, apiKey } = open.bench;
    const trail = await client.audit();
    const byWizard = trail.filter(({ source }) => source === 'wizard').map((row) => row.operation);
    expect(byWizard).toEqual(
      expect.arrayContaining(['master-key.confirm', 'repo-route.add', 'provider.connect']),
    );
    const told = JSON.stringify([trail, await client.must('GET', '/config'), open.problems]);
    expect(told).not.toContain(apiKey);
    expect(told).not.toContain('sk-wrong');
    expect(open.problems).toEqual([]);
  });
});
