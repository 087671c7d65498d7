import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { fetchRoute } from '../support/browser/fetch-route.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const START_TIMEOUT_MS = 180_000;

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest() });
  ({ page } = open);
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

/** The overview once it knows which tracker there is. */
async function load(): Promise<void> {
  const known = page.waitForResponse('**/api/v1/setup');
  await page.goto('/');
  await (await known).finished();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Health' }).waitFor();
}
const button = () => page.getByRole('button', { name: 'Sync now' });
const option = () => page.getByRole('option', { name: 'Sync now' });
async function search(): Promise<void> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await field.fill('Pause all');
  await page.getByRole('option', { name: 'Pause all work' }).waitFor();
  const found = page.waitForResponse('**/api/v1/search?*');
  await field.fill('Sync now');
  await (await found).finished();
}

it('with the built-in tracker no sync is offered: there is nothing to be synced with', async () => {
  await load();
  await search();
  await page.getByRole('option').first().waitFor();
  expect(await option().count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await button().count()).toBe(0);
});

it('with another tracker it is, on the overview and in the palette', async () => {
  await page.route('**/api/v1/setup', async (route) => {
    const answer = (await (await fetchRoute(route)).json()) as object;
    const tracker = { kind: 'github', signInPending: false };
    await route.fulfill({ json: { ...answer, tracker } });
  });
  await load();
  await button().click();
  await page.locator('.toast').filter({ hasText: 'Sync requested.' }).waitFor();
  await search();
  await option().waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  expect(open.problems).toEqual([]);
});
