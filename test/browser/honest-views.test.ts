import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { fetchRoute } from '../support/browser/fetch-route.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const LINES_OF_CHECKOUT_NOTE = `(() => {
  const isIt = (note) => note.textContent.startsWith('In a checkout, write');
  const note = [...document.querySelectorAll('dialog .note')].find(isIt);
  const words = document.createRange();
  words.selectNode(note.firstChild);
  return words.getClientRects().length;
})()`;
const LONG_TITLE = 'Many words make a title '.repeat(20).trim();

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest(), mayRefuse: true, mayBeAway: true });
  ({ page } = open);
  const { client } = open.bench;
  await client.createIssue({ title: 'Durations come out wrong' });
  await client.settled('SY-1');
  for (const title of ['Write the handbook', 'Write the index', LONG_TITLE]) {
    await client.createIssue({ title, state: 'Backlog' });
  }
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const load = async (path: string) => {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
};
const card = (identifier: string) => page.locator('.card').filter({ hasText: identifier });

describe('the board', () => {
  it('opens the form for a new issue from wherever one is invited to write one', async () => {
    await load('/board?new=issue');
    await page.getByRole('dialog', { name: 'New issue' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('new issue');
    await page
      .getByRole('option', { name: /^New issue/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: 'New issue' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'New issue' }).waitFor({ state: 'detached' });
  });

  it('shows behind a chip as many as the chip says, also among those that words leave', async () => {
    await load('/board');
    await card('SY-1').waitFor();
    await page.getByRole('searchbox', { name: 'Filter issues' }).fill('handbook');
    await card('SY-1').waitFor({ state: 'detached' });
    for (const chip of await page.locator('.need').all()) {
      const said = Number(await chip.locator('strong').innerText());
      await chip.click();
      await expect.poll(() => page.locator('.card').count()).toBe(said);
      await chip.click();
    }
  });

  it('selects all that a filter shows, and tells which of them are out of sight', async () => {
    await load('/board?q=write');
    await page.getByRole('button', { name: 'Select all 2 shown' }).click();
    const bar = page.getByRole('toolbar', { name: 'Selected issues' });
    await bar.getByText('2 selected').waitFor();
    await page.getByRole('searchbox', { name: 'Filter issues' }).fill('handbook');
    await bar.getByText('1 hidden by the filter').waitFor();
    await expectAccessible(page);
    await bar.getByRole('button', { name: 'Clear' }).click();
  });

  it('keeps a filter by name: in the rail, in the search, after a reload, until it is forgotten', async () => {
    await load('/board?q=handbook');
    await page.getByRole('button', { name: 'Save view' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this view' });
    await expectAccessible(page);
    await dialog.getByLabel('Name').fill('Books');
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await load('/runners');
    await page.getByRole('link', { name: 'Books' }).click();
    await page.waitForURL(/\/board\?q=handbook$/);
    await load('/runners');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('books');
    await page.getByRole('option', { name: /Books.*saved view/ }).click();
    await page.waitForURL(/\/board\?q=handbook$/);
    await page.getByRole('button', { name: 'Delete view Books' }).click();
    await page.getByRole('link', { name: 'Books' }).waitFor({ state: 'detached' });
  });

  it('claims no number while a part of the issues is not known', async () => {
    const refuse = (route: Route) => route.abort('connectionrefused');
    await page.route('**/api/v1/state', refuse);
    await page.goto('/board');
    await card('SY-1').waitFor();
    await page.getByText('The service cannot be reached.').waitFor();
    expect(await page.locator('.need strong').allInnerTexts()).toEqual(['–', '–', '–', '–', '–']);
    await page.unroute('**/api/v1/state', refuse);
  });
});

describe('what is told', () => {
  it('folds the steps of an issue behind its last line in the feed', async () => {
    await load('/feed?area=issues');
    const more = page.getByRole('button', { name: /\d+ earlier steps?.*(saved|started)/ }).first();
    await more.waitFor();
    const lines = page.locator('.feed > li');
    const before = await lines.count();
    const steps = Number.parseInt(await more.innerText(), 10);
    await more.click();
    expect(await lines.count()).toBe(before + steps);
    await expectAccessible(page);
  });

  it('folds what began behind what came of it in the notifications', async () => {
    await load('/notifications');
    await page
      .getByRole('button', { name: /earlier: .*started/ })
      .first()
      .click();
    await page.locator('.earlier-list li').first().waitFor();
    expect(await page.getByText('Started', { exact: true }).count()).toBe(0);
  });

  it('draws the timeline to scale, with a legend for each colour', async () => {
    await load('/issues/SY-1?view=timeline');
    await page.locator('.lane-bar li').first().waitFor();
    const ends = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.lane-bar li')].map(({ style }) =>
        Number.parseFloat(style.left) + Number.parseFloat(style.width))`,
    );
    expect(Math.max(...ends)).toBeCloseTo(100, 3);
    await page.getByText(/Full width: \d/).waitFor();
    expect(await page.locator('.lane-legend li').count()).toBe(7);
    expect(await page.locator('.lane-axis li').count()).toBeGreaterThan(0);
  });

  it('says what the tracker did not take, and what becomes of it', async () => {
    const at = '**/api/v1/SY-1';
    const words = 'the tracker took the move to In Review and still shows Todo';
    const failure = { change: 'state', state: 'In Review', error: words };
    let nextTryAt: string | null = new Date().toISOString();
    await page.route(at, async (route) => {
      const answer = await fetchRoute(route, { headers: { accept: 'application/json' } });
      const trackerFailures = [{ ...failure, tries: nextTryAt === null ? 8 : 1, nextTryAt }];
      await route.fulfill({ json: { ...((await answer.json()) as object), trackerFailures } });
    });
    await load('/issues/SY-1');
    const card = page.getByRole('region', { name: 'Not in the tracker' });
    await card.getByText('The issue could not be moved to In Review in the tracker.').waitFor();
    await card.getByText(words).waitFor();
    await card.getByText('It was tried once and is retried.').waitFor();
    await expectAccessible(page);
    nextTryAt = null;
    await load('/issues/SY-1');
    await card.getByText(/tried 8 times and given up: move the issue there by hand/).waitFor();
    await takePicture(page, 'tracker-failure');
    // What was asked before may be on its way still: nobody else answers it.
    await page.unrouteAll({ behavior: 'wait' });
    await load('/issues/SY-1');
    await page.getByText('Details').waitFor();
    expect(await card.count()).toBe(0);
  });

  it.each([
    ['automations', 'dependencies'],
    ['alerts', 'many failures'],
  ])('shows by an example how %s are written as JSON', async (section, name) => {
    await load(`/${section}`);
    await page.getByRole('link', { name: 'Edit as JSON' }).click();
    await page.getByRole('link', { name: 'What can be written here' }).waitFor();
    await page.getByRole('button', { name: /^Insert an example/ }).click();
    const field = page.locator('.setting textarea').first();
    await expect.poll(() => field.inputValue()).toContain(`"name": "${name}"`);
    await expectAccessible(page);
    await takePicture(page, `example-of-${section}`);
    await page.getByRole('button', { name: 'Discard all' }).click();
    await page.getByRole('link', { name: 'What can be written here' }).click();
    await page.locator(`#${section}`).waitFor();
  });

  it('says nothing good of what the check beside it refuses', async () => {
    const checked = { ok: false, message: 'The provider has no credit left.', notes: [] };
    const here = { baseUrl: 'https://models.example/v1', wireApi: 'responses', model: 'm-1' };
    await page.route('**/api/v1/setup/provider/models', (route) =>
      route.fulfill({
        json: { ...here, message: 'no list', notes: [], warning: null, models: null },
      }),
    );
    await page.route('**/api/v1/setup/provider', (route) =>
      route.fulfill({ json: { ...here, name: 'models', check: { step: 'provider', ...checked } } }),
    );
    await page.route('**/api/v1/setup/check', (route) =>
      route.fulfill({
        json: { step: 'provider', ...checked, checkedAt: new Date().toISOString() },
      }),
    );
    await load('/setup?step=provider');
    await page.getByText(checked.message).waitFor();
    await page.getByText('API key', { exact: true }).first().click();
    await page.locator('input[name=apiKey]').fill('sk-123');
    const again = page.waitForResponse('**/api/v1/setup/check');
    await page.locator('.wizard-step form button[type=submit]').first().click();
    await again;
    await page.getByText(checked.message).waitFor();
    expect(await page.locator('.toast').allInnerTexts()).toEqual([]);
    await page.unroute('**/api/v1/setup/provider/models');
    await page.unroute('**/api/v1/setup/provider');
    await page.unroute('**/api/v1/setup/check');
  });
});

describe('views of every width', () => {
  it('writes the health of things with long names in words, not letters', async () => {
    await page.route('**/api/v1/observability', async (route) => {
      const answer = (await (await fetchRoute(route)).json()) as { signals: object[] };
      const name = 'tracker webhook subscription of the organization';
      const message = 'deliveries fail since this morning and nobody knows why';
      const signal = { name, status: 'down', message, since: null };
      await route.fulfill({ json: { ...answer, signals: [signal, ...answer.signals] } });
    });
    for (const size of [PHONE, { width: 1100, height: 800 }, DESK]) {
      await page.setViewportSize(size);
      await load('/');
      const box = await page.getByText('deliveries fail since this morning').boundingBox();
      expect(box?.width).toBeGreaterThan(120);
    }
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('bounds a title on a phone', async () => {
    await page.setViewportSize(PHONE);
    await load('/issues/SY-4');
    const heading = page.getByRole('heading', { level: 1 });
    await heading.waitFor();
    expect((await heading.boundingBox())?.height).toBeLessThan(120);
    await page.setViewportSize(DESK);
  });

  it('uses a wide window', async () => {
    await page.setViewportSize({ width: 1920, height: 1080 });
    await load('/audit');
    const table = page.locator('.data-table').first();
    await table.waitFor();
    expect((await table.boundingBox())?.width).toBeGreaterThan(1_500);
    expect(open.problems).toEqual([]);
    await page.setViewportSize(DESK);
  });
});

describe('a phone that is touched', () => {
  let phone: Page;
  beforeAll(async () => {
    const browser = open.context.browser();
    if (browser === null) throw new Error('the browser is gone');
    const touched = { viewport: PHONE, hasTouch: true, isMobile: true };
    phone = await browser.newPage({ ...touched, baseURL: open.bench.client.url });
  });
  afterAll(() => phone?.close());

  const leftOf = (name: string) =>
    phone
      .getByRole('region', { name, exact: true })
      .evaluate((column: { getBoundingClientRect(): { left: number } }) =>
        Math.round(column.getBoundingClientRect().left),
      );

  it('shows the card that needs a person before empty columns, also of a filter', async () => {
    await phone.goto('/board');
    await phone.locator('.card').filter({ hasText: 'SY-1' }).waitFor();
    await expect.poll(() => leftOf('In Review')).toBeLessThan(40);
    await takePicture(phone, 'phone-board');
    await phone.getByRole('searchbox', { name: 'Filter issues' }).fill('handbook');
    await expect.poll(() => leftOf('Backlog')).toBeGreaterThanOrEqual(0);
    await phone.getByRole('searchbox', { name: 'Filter issues' }).fill('');
    await phone.getByRole('button', { name: /^\d+ Needs you$/ }).tap();
    await phone.locator('.card').filter({ hasText: 'SY-2' }).waitFor({ state: 'detached' });
    await expect.poll(() => leftOf('In Review')).toBeLessThan(40);
    await takePicture(phone, 'phone-board-filtered');
  });

  it('has no field so small that iOS enlarges the page', async () => {
    const small: string[] = [];
    for (const path of ['/board?new=issue', '/issues/SY-1', '/config', '/setup?step=provider']) {
      await phone.goto(path);
      await phone.locator('input, textarea, select').first().waitFor();
      await phone.locator('.skeleton').first().waitFor({ state: 'detached' });
      await takePicture(phone, `phone-fields${path.replaceAll(/\W/g, '-')}`);
      const found = await phone.evaluate<string[]>(
        `[...document.querySelectorAll('input, textarea, select')]
          .filter((field) => Number.parseFloat(getComputedStyle(field).fontSize) < 16)
          .map((field) => field.outerHTML.slice(0, 80))`,
      );
      small.push(...found);
    }
    expect(small).toEqual([]);
  });

  it('keeps a form with a draft inside its dialog', async () => {
    await phone.goto('/board?new=issue');
    const dialog = phone.getByRole('dialog', { name: 'New issue' });
    await dialog.getByLabel('Title').fill('Half an issue');
    await dialog.getByRole('button', { name: 'Discard draft' }).waitFor();
    const frame = await dialog.boundingBox();
    const field = await dialog.getByLabel('Title').boundingBox();
    if (frame === null || field === null) throw new Error('not shown');
    const before = field.x - frame.x;
    const after = frame.x + frame.width - field.x - field.width;
    await takePicture(phone, 'phone-draft');
    expect(Math.abs(before - after)).toBeLessThan(3);
    await dialog.getByRole('button', { name: 'Discard draft' }).tap();
  });

  it('says what happens away from where one writes and sends', async () => {
    await phone.goto('/issues/SY-2');
    await phone.getByRole('button', { name: 'Move', exact: true }).tap();
    await phone.getByRole('button', { name: 'Todo' }).tap();
    const toast = await phone.locator('.toast').boundingBox();
    await takePicture(phone, 'phone-toast');
    expect(toast?.y).toBeLessThan(PHONE.height / 4);
    await phone.getByRole('button', { name: 'Undo' }).tap();
  });

  it('writes a note in lines, not in columns', async () => {
    await phone.goto('/runners');
    await phone.getByRole('button', { name: 'Add a runner' }).first().tap();
    // The address of this very page leads no other machine here.
    await phone.getByText('other machines cannot join there').waitFor();
    await phone.getByText('In a checkout, write').waitFor();
    await takePicture(phone, 'phone-add-runner');
    expect(await phone.evaluate<number>(LINES_OF_CHECKOUT_NOTE)).toBe(1);
  });
});
