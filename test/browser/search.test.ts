import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const START_TIMEOUT_MS = 180_000;

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest(), mayRefuse: true });
  ({ page } = open);
  const { client } = open.bench;
  await client.createIssue({ title: 'Durations come out wrong', labels: ['time-lane'] });
  await client.settled('SY-1');
  await client.createIssue({ title: 'Write the handbook', state: 'Backlog' });
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const field = () => page.getByRole('combobox', { name: 'Search everything' });
const option = (name: RegExp) => page.getByRole('option', { name }).first();
async function search(words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await field().fill(words);
}

describe('the search', () => {
  it('takes what is typed before its list is there, and Enter too', async () => {
    const held = Promise.withResolvers<void>();
    const hold = async (route: Route) => {
      await held.promise;
      await route.continue();
    };
    await page.route('**/assets/palette-*.js', hold);
    await page.goto('/board');
    await page.locator('.card').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('n gf audit');
    expect(await field().inputValue()).toBe('n gf audit');
    await field().fill('audit');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).pathname).toBe('/board');
    expect(await page.getByRole('dialog', { name: 'New issue' }).count()).toBe(0);
    held.resolve();
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    await page.unroute('**/assets/palette-*.js', hold);
  });

  it.each([
    ['handbook', /SY-2 Write the handbook/, /\/issues\/SY-2$/],
    ['time-lane', /^time-lane.*label/, /\/board\?q=time-lane$/],
    ['maxConcurrentAgents', /agent\.maxConcurrentAgents.*setting/, /\/config\?section=agent$/],
    ['err_assertion', /Log of SY-1.*ERR_ASSERTION.*log/, /\/issues\/SY-1\?attempt=.*line=/],
    ['behind a proxy', /Behind a proxy.*documentation/, /\/docs\/setup#behind-a-proxy$/],
    ['durations wrong', /#\d+ .*pull request/, /\/pull-requests\/pr_/],
  ])('finds "%s" and leads there', async (words, name, address) => {
    await page.goto('/runners');
    await page.getByText('Live', { exact: true }).waitFor();
    await search(words);
    await option(name).click();
    await page.waitForURL(address);
    expect(open.problems).toEqual([]);
  });

  it('is operable and legible with what it found, and says when it found nothing', async () => {
    await page.goto('/runners');
    await page.getByText('Live', { exact: true }).waitFor();
    await search('handbook');
    await option(/handbook/).waitFor();
    await expectAccessible(page);
    await field().fill('qqqzzzq');
    await page.getByText('No results.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('still finds what the page knows while the service does not answer', async () => {
    const refuse = (route: Route) =>
      route.fulfill({ status: 503, json: { error: 'Not at this moment.', status: 503 } });
    await page.route('**/api/v1/search?*', refuse);
    await page.goto('/runners');
    await page.getByText('Live', { exact: true }).waitFor();
    await search('handbook');
    await page.getByText('Search covers only data on this page. Not at this moment.').waitFor();
    await option(/SY-2 Write the handbook/).waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/api/v1/search?*', refuse);
  });
});
