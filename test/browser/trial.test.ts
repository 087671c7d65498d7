import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const WAIT_MS = 45_000;
const START_TIMEOUT_MS = 180_000;
const RUN_TIMEOUT_MS = 90_000;
const DONE_BY_SCRIPT = 'A scripted model did this on trial: no language model was asked.';

// One person's way before there is a key: the order matters.
describe('a trial without a model, from the wizard', () => {
  let open: OpenDashboard;
  let page: Page;
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest(), bare: true });
    ({ page } = open);
    page.setDefaultTimeout(WAIT_MS);
  }, START_TIMEOUT_MS);
  afterAll(() => open?.close());

  const banner = () => page.locator('.banner').filter({ hasText: 'Trial without a model' });
  const step = () => page.locator('.wizard-step');
  /** Commands of a warning stand alone, each to be copied, and the sentence has none. */
  const expectCommands = async () => {
    const lines = page.locator('.hindrance .command');
    await lines.nth(1).waitFor();
    expect(await lines.locator('code').allInnerTexts()).toEqual([
      expect.stringMatching(/^git -C \S+ config receive\.denyCurrentBranch updateInstead$/),
      expect.stringMatching(/^git clone --bare \S+ \S+\.git$/),
    ]);
    expect(await lines.getByRole('button', { name: 'Copy' }).count()).toBe(2);
    expect(await page.locator('.hindrance .note').innerText()).not.toContain('git -C');
  };

  it('begins with one click in the step of the provider', async () => {
    await page.goto('/setup?step=provider');
    await page.getByRole('heading', { name: 'Model provider' }).waitFor();
    await page.getByText('No key at hand?').waitFor();
    await takePicture(page, 'trial-offer');
    await page.getByRole('button', { name: 'Try without a model' }).press('Enter');
    await banner().waitFor();
    // On to what is still to do, as from any provider: another Enter undoes nothing.
    await page.getByRole('heading', { name: 'Repository', level: 2 }).waitFor();
    await page.goto('/setup?step=provider');
    await step().locator('header').getByText('Done', { exact: true }).waitFor();
    await step().locator('.live-check').getByText('On trial without a model').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'trial-on');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'End the trial' }).scrollIntoViewIfNeeded();
    const overflows = 'document.documentElement.scrollWidth > innerWidth';
    expect(await page.evaluate(overflows)).toBe(false);
    await takePicture(page, 'trial-on-phone');
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('leads to a pull request that says who made it', async () => {
    const { client, repository } = open.bench;
    const copy = `${repository.path}-worked-in`;
    await repository.git('worktree', 'add', '--quiet', copy, 'main');
    await client.must('POST', '/setup/repo-route', { prefix: 'SY-', url: repository.url });
    await page.goto('/setup?step=issue');
    await step().getByText('so it costs nothing').waitFor();
    await page.getByRole('button', { name: 'Create the test issue' }).click();
    await step().locator('.test-issue').waitFor();
    await step().getByText('The setup works end to end.').waitFor({ timeout: RUN_TIMEOUT_MS });
    await step().getByText(DONE_BY_SCRIPT).waitFor();
    await page.goto('/issues/SY-1');
    await page
      .getByText(/^codex .*, scripted trial$/)
      .first()
      .waitFor();
    await page.locator('.log-panel').getByText(DONE_BY_SCRIPT).first().waitFor();
    await takePicture(page, 'trial-issue');
    const { id } = await client.pullRequestOf('SY-1');
    await page.goto(`/pull-requests/${id}`);
    await page.getByRole('heading', { name: /\(scripted trial\)$/ }).waitFor();
    await page.getByText(DONE_BY_SCRIPT).first().waitFor();
    // Where a merge would be refused, its page says so before anybody tries.
    await page.locator('.note.warning').getByText(`main is checked out in ${copy}`).waitFor();
    await expectCommands();
    await takePicture(page, 'trial-pull-request');
    await page.goto('/costs');
    await page.getByRole('cell', { name: 'scripted-trial' }).waitFor();
    expect(await page.getByText('No price is known').count()).toBe(0);
    await takePicture(page, 'trial-costs');
  });

  it('its warning stays on the page of the repositories too', async () => {
    await page.goto('/repositories');
    await expectCommands();
    await takePicture(page, 'trial-repositories');
  });

  it('says where the script found nothing to write to', async () => {
    const { client, repository } = open.bench;
    const copy = `${repository.path}-worked-in`;
    const inCopy = (...args: string[]) => repository.git('-C', copy, ...args);
    await inCopy('rm', '--quiet', '--ignore-unmatch', 'README.md');
    await writeFile(join(copy, '.gitignore'), 'README*\nSWITCHYARD-TRIAL*\n');
    await inCopy('add', '.gitignore');
    await inCopy('-c', 'user.name=T', '-c', 'user.email=t@x.invalid', 'commit', '-qm', 'None');
    await client.createIssue({ title: 'Nothing to write to' });
    expect(await client.settled('SY-2', RUN_TIMEOUT_MS)).toMatchObject({ status: 'blocked' });
  });

  it('ends with one click, and its work stays marked', async () => {
    await page.goto('/setup?step=provider');
    await page.getByRole('button', { name: 'End the trial' }).click();
    await page.getByRole('button', { name: 'Try without a model' }).waitFor();
    await expect.poll(() => banner().count()).toBe(0);
    const first = page.getByRole('navigation', { name: 'Steps' }).getByText(/^SY-1 became/);
    await first.filter({ hasText: 'no issue was completed with a model yet' }).waitFor();
    await page.goto('/issues/SY-1');
    await page.locator('.log-panel').getByText(DONE_BY_SCRIPT).first().waitFor();
    // Where issues are listed, it says so too, with nothing else around that would.
    await page.goto('/board');
    await page.locator('.card', { hasText: 'SY-1' }).getByText('Scripted trial').waitFor();
    await takePicture(page, 'trial-board');
    await page.goto('/');
    const finished = page.getByRole('region', { name: 'Recently finished' }).locator('li');
    await finished.filter({ hasText: 'SY-1' }).getByText('Scripted trial').waitFor();
    const needing = page.getByRole('region', { name: 'Needs you' }).locator('li');
    await needing.filter({ hasText: 'SY-2' }).getByText('Scripted trial').waitFor();
    await page.getByText('Success rate, 14 days').waitFor();
    expect(await page.getByText(/of \d attempts?/).count()).toBe(0);
    await expectAccessible(page);
    await takePicture(page, 'trial-overview');
    await page.setViewportSize({ width: 390, height: 844 });
    for (const [path, name] of [
      ['/', 'overview'],
      ['/board', 'board'],
    ] as const) {
      await page.goto(path);
      await page.getByText('Scripted trial').first().scrollIntoViewIfNeeded();
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      await takePicture(page, `trial-${name}-phone`);
    }
    const { client, folder } = open.bench;
    const list = await switchyard(['issue', 'list', '--url', client.url], folder);
    expect(list.stdout).toMatch(/SY-1 .*\(scripted trial\)/);
    const needs = ['issue', 'list', '--needs-person', '--url', client.url];
    expect((await switchyard(needs, folder)).stdout).toMatch(/SY-2 .*\(scripted trial\)/);
    const shown = await switchyard(['issue', 'show', 'SY-1', '--url', client.url], folder);
    expect(shown.stdout).toContain(DONE_BY_SCRIPT);
    expect(open.problems).toEqual([]);
  });
});
