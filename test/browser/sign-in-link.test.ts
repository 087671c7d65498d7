import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { launchChromium } from '../support/browser/open-dashboard.ts';
import { watchedPage, type WatchedPage } from '../support/browser/watched-page.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';
import { switchyard } from '../support/e2e/switchyard.ts';

const WAIT_MS = 45_000;
const START_TIMEOUT_MS = 240_000;

describe('a link that signs in', () => {
  let folder: string;
  let service: RunningService;
  let browser: Browser;
  let watched: WatchedPage;
  beforeAll(async () => {
    await builtDashboard();
    folder = await mkdtemp(join(tmpdir(), 'swy-link-'));
    service = await startService({
      dataDir: join(folder, 'data'),
      args: ['--no-runner'],
      env: { SERVICE_READ_TOKEN: 'a-read-token-of-the-test' },
    });
    browser = await launchChromium();
    const context = await browser.newContext();
    context.setDefaultTimeout(WAIT_MS);
    watched = await watchedPage(context, { mayRefuse: true });
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const link = async () => {
    const args = ['open', '--no-open', '--url', service.url, '--data-dir', service.dataDir];
    const env = { SWITCHYARD_TOKEN: '', SERVICE_WRITE_TOKEN: '' };
    return (await switchyard(args, folder, env)).stdout.trim();
  };
  const isLive = () => watched.page.getByText('Live', { exact: true }).waitFor();
  const form = () => watched.page.getByRole('dialog', { name: 'Sign in' });

  it('opens the dashboard for whoever has it, once, and leaves the address', async () => {
    const { page } = watched;
    const address = await link();
    await page.goto(service.url);
    await form().getByText('switchyard open').waitFor();
    // In the tab that is open already, as a click on a link in a terminal may do.
    await page.goto(address);
    await page.getByText('Signed in.').waitFor();
    await isLive();
    expect(await form().count()).toBe(0);
    expect(page.url()).toBe(`${service.url}/`);
    await page.reload();
    await isLive();
    expect(await page.evaluate('document.cookie')).toBe('');

    await page.context().clearCookies();
    await page.goto('about:blank');
    await page.goto(address);
    await form().getByText('the sign-in link was used').waitFor();
    expect(page.url()).toBe(`${service.url}/`);
    await page.goBack();
    await page.goForward();
    expect(page.url()).not.toContain('code');
  });

  it('signs all tabs in, and out again', async () => {
    const { page } = watched;
    await page.context().clearCookies();
    await page.goto(service.url);
    await form().waitFor();
    const other = await page.context().newPage();
    await other.goto(service.url);
    const otherForm = other.getByRole('dialog', { name: 'Sign in' });
    await otherForm.waitFor();
    await page.goto('about:blank');
    await page.goto(await link());
    await isLive();
    await other.getByText('Live', { exact: true }).waitFor();
    await otherForm.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('Sign out');
    await page.getByRole('option', { name: 'Sign out', exact: true }).click();
    await otherForm.waitFor();
    await other.getByText('Reconnecting', { exact: true }).waitFor();
    await other.close();
  });

  it('is needed again after everybody was signed out', async () => {
    const { page, problems } = watched;
    await page.goto('about:blank');
    await page.goto(await link());
    await isLive();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('Sign out everywhere');
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Sign out everywhere?' });
    await question.getByRole('button', { name: 'Sign out everywhere' }).click();
    await form().waitFor();
    expect(problems).toEqual([]);
  });
});
