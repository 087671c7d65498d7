import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const WALK_TIMEOUT_MS = 300_000;
const RUN_TIMEOUT_MS = 120_000;

// What a newcomer meets, by mouse, from an empty data folder to the first merged pull request.
describe('the first ten minutes', () => {
  let open: OpenDashboard;
  let page: Page;
  let steps = 0;
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest(), bare: true });
    ({ page } = open);
  }, START_TIMEOUT_MS);
  afterAll(() => open?.close());

  const wizard = () => page.locator('.wizard-step');
  const next = (name: string) => wizard().getByRole('link', { name }).click();
  const back = next;
  const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
  const listed = (name: string) =>
    page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name });
  const isDone = () => wizard().locator('header').getByText('Done', { exact: true }).waitFor();
  async function arrived(name: string): Promise<void> {
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    await expectAccessible(page, name);
    // Folders are shown by their paths, as people name them.
    expect(await page.locator('body').innerText(), name).not.toContain('file://');
    steps += 1;
    await takePicture(page, `${String(steps).padStart(2, '0')}-${name}`);
  }

  it(
    'lead from nothing to a merged pull request',
    async () => {
      const { bench } = open;
      await page.goto('/');
      const missing = page.getByRole('region', { name: 'No issue can start yet' });
      await missing.waitFor();
      await arrived('overview-before-set-up');

      await missing.getByRole('link', { name: 'Add a repository' }).first().click();
      const address = page.getByRole('textbox', { name: 'Repository' });
      await address.fill(bench.repository.path);
      await arrived('repository-entered');
      await address.press('Enter');
      await heading('Model provider');
      await back('Repository');
      await isDone();
      await arrived('repository-done');

      await next('Model provider');
      await page.getByRole('radio', { name: /Custom endpoint/ }).check();
      await page.getByLabel('Base URL').fill(bench.provider.url);
      await page.getByLabel('Name', { exact: true }).fill('scripted');
      await page.getByLabel('Model', { exact: true }).fill('scripted-model');
      await page.getByLabel('API key', { exact: true }).fill(bench.apiKey);
      await arrived('provider-entered');
      await page.getByRole('button', { name: 'Connect the provider' }).click();
      await heading('First issue');
      await back('Model provider');
      await isDone();
      await arrived('provider-done');

      await page.locator('.wizard-steps summary').click();
      await listed('Code host').click();
      await isDone();
      await arrived('code-host-done');
      await next('Tracker');
      await next('Runner');
      await isDone();
      await arrived('runner-done');

      await listed('First issue').click();
      await page.getByRole('button', { name: 'Create the test issue' }).click();
      await arrived('test-issue-created');
      await wizard().getByText('The setup works end to end.').waitFor({ timeout: RUN_TIMEOUT_MS });
      await arrived('test-issue-done');

      await wizard().getByRole('link', { name: 'PR', exact: true }).click();
      await page.locator('.diff .line.add').first().waitFor();
      await arrived('pull-request');
      await page.getByRole('button', { name: 'Merge' }).click();
      const question = page.getByRole('dialog');
      await question.waitFor();
      await arrived('merge-asked');
      await question.getByRole('button', { name: 'Merge' }).click();
      await page.getByText('Merged').first().waitFor();
      await arrived('merged');
      const log = await bench.repository.git('log', '--format=%s', 'main');
      expect(log.split('\n').length).toBeGreaterThan(1);

      await page.goto('/');
      await page.getByText('SY-1').first().waitFor();
      expect(await page.getByText('No issue can start yet').count()).toBe(0);
      await arrived('overview-afterwards');
      expect(await page.content()).not.toContain(bench.apiKey);
      expect(open.problems).toEqual([]);
    },
    WALK_TIMEOUT_MS,
  );
});
