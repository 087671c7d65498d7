import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { dashboardViews } from '../support/browser/dashboard-views.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const START_TIMEOUT_MS = 180_000;
const ANSWERS = '**/api/v1/**';
const REFUSAL = 'Not at this moment.';

const TITLE = 'Fix the failing test';

const VIEWS = dashboardViews(TITLE);
/** Part of the page's code: it asks nothing of the service. */
const DOCS: (typeof VIEWS)[number] = ['/docs/setup', 'Three steps'];
/** Leads to the settings, and asks nothing either. */
const SETTINGS: (typeof VIEWS)[number] = ['/settings', 'Configuration'];
/** It has no answers: what it shows comes with the stream. */
const FEED: (typeof VIEWS)[number] = ['/feed', 'SY-1'];

type Manifest = { icons: { src: string; sizes: string; type: string; purpose: string }[] };

let open: OpenDashboard;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest(), mayRefuse: true, mayBeAway: true });
  await open.bench.client.createIssue({ title: TITLE });
  await open.bench.client.settled('SY-1');
  await open.page.setViewportSize({ width: 390, height: 844 });
  await open.page.emulateMedia({ colorScheme: 'dark' });
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

describe('every view on a phone in the dark', () => {
  it.each([...VIEWS, FEED, DOCS, SETTINGS])(
    '%s is legible, operable and no wider than the window',
    async (path) => {
      const { page } = open;
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(await page.evaluate<number>(overhang)).toBeLessThanOrEqual(0);
      await expectAccessible(page);
      expect(open.problems).toEqual([]);
    },
  );

  it('leads to all of them', async () => {
    const { page } = open;
    await page.goto('/');
    await page.getByRole('button', { name: 'More' }).click();
    const sheet = page.getByRole('dialog', { name: 'All views' });
    await sheet.getByRole('link', { name: 'API explorer' }).waitFor();
    await sheet.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').fill('wrkspc');
    await page.getByRole('option', { name: 'Workspaces' }).click();
    await page.getByRole('heading', { name: 'Workspaces', level: 1 }).waitFor();
    expect(open.problems).toEqual([]);
  });
});

describe('every view whose answers fail', () => {
  it.each(VIEWS)('%s says so, and one try more shows all', async (path, shows) => {
    const { page } = open;
    await refuseAll(page);
    await page.goto(path);
    const main = page.getByRole('main');
    await main.getByText(REFUSAL).first().waitFor();
    // It is there also while nobody knows how things stand.
    await page.getByRole('button', { name: 'Pause all work' }).waitFor();
    await page.unroute(ANSWERS);
    await main.getByRole('button', { name: 'Try again' }).first().click();
    const shown = main.getByText(shows).or(main.getByPlaceholder(shows));
    // What a folded step says comes before it, unseen.
    await shown.filter({ visible: true }).first().waitFor();
    await main.getByText(REFUSAL).first().waitFor({ state: 'detached' });
    expect(open.problems).toEqual([]);
  });
});

describe('the dashboard as an app', () => {
  it('can be installed: a manifest without errors, icons of the sizes it says', async () => {
    const { page, context } = open;
    await page.goto('/');
    const tools = await context.newCDPSession(page);
    const { errors, data } = await tools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const manifest = JSON.parse(data ?? '{}') as Manifest;
    expect(manifest).toMatchObject({ start_url: '/', display: 'standalone' });
    const icons = manifest.icons.filter(({ type }) => type === 'image/png');
    expect(icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
      '192x192 any',
      '512x512 any',
      '512x512 maskable',
    ]);
    const sizes = await page.evaluate<string[]>(
      `Promise.all(${JSON.stringify(icons.map(({ src }) => src))}.map(async (src) => {
        const image = await createImageBitmap(await (await fetch(src)).blob());
        return image.width + 'x' + image.height;
      }))`,
    );
    expect(sizes).toEqual(icons.map((icon) => icon.sizes));
  });

  it('keeps what it shows while the service is away, and says so above', async () => {
    const { page, bench } = open;
    await page.goto('/runners');
    const runner = page.getByRole('main').getByText('Connected', { exact: true }).first();
    await runner.waitFor();
    await bench.service.stop();
    await page.getByText('No connection to the service').waitFor();
    expect(await runner.isVisible()).toBe(true);
  });
});

/** Every question to the service is refused from now on. */
async function refuseAll(page: Page): Promise<void> {
  const body = JSON.stringify({ error: REFUSAL });
  await page.route(ANSWERS, (route) =>
    route.fulfill({ status: 409, contentType: 'application/json', body }),
  );
}
