import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { dashboardViews } from '../support/browser/dashboard-views.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const START_TIMEOUT_MS = 180_000;
const TITLE = 'Fix the failing test';
const VIEWS = [...dashboardViews(TITLE).map(([path]) => path), '/feed', '/docs/setup'];

let open: OpenDashboard;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest() });
  await open.bench.client.createIssue({ title: TITLE });
  await open.bench.client.settled('SY-1');
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const load = async (path: string) => {
  await open.page.goto(path);
  await open.page.getByText('Live', { exact: true }).waitFor();
  await open.page.locator('.skeleton').first().waitFor({ state: 'detached' });
};

describe('the key /', () => {
  it.each(VIEWS)('searches everything on %s, as its button and the help say', async (path) => {
    const { page } = open;
    await load(path);
    // Only the search button shows the key.
    const shown = page.locator('kbd', { hasText: /^\/$/ });
    expect(await shown.count()).toBe(1);
    await page.keyboard.press('/');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.waitFor({ timeout: 5_000 });
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    const lines = await help.locator('.key-line').allInnerTexts();
    expect(lines.filter((line) => line.endsWith('/')).map((line) => line.split('\n')[0])).toEqual([
      'Search everything',
    ]);
  });
});

describe('the key f', () => {
  it.each([
    ['/board', 'Filter issues'],
    ['/issues/SY-1', 'Find in log'],
    ['/config', 'Find a setting'],
  ])('goes to the field of %s that finds on this page', async (path, field) => {
    const { page } = open;
    await load(path);
    await page.keyboard.press('f');
    const found = page.getByRole('searchbox', { name: field });
    await expect.poll(() => found.evaluate('document.activeElement.ariaLabel')).toBe(field);
    expect(await found.getAttribute('aria-keyshortcuts')).toBe('f');
    await page.keyboard.type('/f');
    expect(await found.inputValue()).toBe('/f');
    await expectAccessible(page);
    expect(open.problems).toEqual([]);
  });
});
