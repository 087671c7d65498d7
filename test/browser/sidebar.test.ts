import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Each view of the settings: its name, its address, and the key after `g`. */
const SETTINGS = [
  ['Configuration', '/config', 'c'],
  ['Repositories', '/repositories', 'u'],
  ['Engine', '/engine', 'e'],
  ['Templates', '/templates', 't'],
  ['Secrets', '/secrets', 'k'],
  ['Webhooks', '/deliveries', 'h'],
  ['Workspaces', '/workspaces', 'w'],
  ['Audit', '/audit', 'd'],
  ['Setup', '/setup', 's'],
] as const;
const DAILY = [
  'Overview',
  'Board',
  'Inbox',
  'Pull requests',
  'Merge queue',
  'Live feed',
  'Notifications',
  'Runners',
  'Costs',
  'Automations',
  'Alerts',
];

/** What of the sidebar lies outside of the window, or of the part of it that shows entries. */
const CUT_OFF = `(() => {
  const rail = document.querySelector('.rail');
  const links = rail.querySelector('.rail-links').getBoundingClientRect();
  return [...rail.querySelectorAll('a, button, dd, .stream')].filter((each) => {
    const { top, bottom, height } = each.getBoundingClientRect();
    if (height === 0) return false;
    const isEntry = each.closest('.rail-links') !== null;
    return bottom > innerHeight || (isEntry && (bottom > links.bottom + 1 || top < links.top - 1));
  }).map((each) => each.textContent);
})()`;

async function load(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** The entries in their order, without what they count. */
const entries = async (page: Page) => {
  const texts = await page.locator('.rail-links .rail-link > span:first-of-type').allInnerTexts();
  return texts.map((text) => text.trim());
};

describe('the sidebar of a service that is set up', () => {
  let open: OpenDashboard;
  let page: Page;
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest() });
    ({ page } = open);
    await open.bench.client.createIssue({ title: 'Durations come out wrong' });
    await open.bench.client.settled('SY-1');
    await page.setViewportSize(DESK);
  }, START_TIMEOUT_MS);
  afterAll(() => open?.close());

  it('has the daily views, and the settings as one entry', async () => {
    await load(page, '/');
    expect(await entries(page)).toEqual([...DAILY, 'Settings']);
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
    await takePicture(page, 'sidebar');
    await page.getByRole('main').getByRole('link', { name: 'New issue' }).click();
    await page.getByRole('dialog', { name: 'New issue' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.rail').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    for (const [label, path] of SETTINGS) {
      const link = page.getByRole('main').getByRole('link', { name: label, exact: true });
      expect(await link.getAttribute('href')).toBe(path);
    }
    await expectAccessible(page);
    await takePicture(page, 'settings');
  });

  it.each(SETTINGS)('marks %s, which keeps its address, its key and its name', async (...view) => {
    const [label, path, key] = view;
    const marked = page.locator('.rail-links [aria-current]');
    await load(page, path);
    expect((await marked.allInnerTexts()).map((text) => text.trim())).toEqual(['Settings', label]);
    // All entries are seen also with the settings open.
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
    await load(page, '/');
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.waitForURL((url) => url.pathname === path);
    await load(page, '/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(label);
    await page.getByRole('option', { name: label }).first().click();
    await page.waitForURL((url) => url.pathname === path);
    expect(open.problems).toEqual([]);
  });

  it('counts the notifications that are unread, on a phone too', async () => {
    const unread = async () => {
      const { client } = open.bench;
      const answer = await client.must<{ unreadCount: number }>('GET', '/notifications?limit=1');
      return answer.unreadCount;
    };
    const count = await unread();
    expect(count).toBeGreaterThan(0);
    await load(page, '/');
    const link = page.locator('.rail').getByRole('link', { name: /^Notifications/ });
    await link.getByText(`${count} unread`).waitFor();
    await link.click();
    await page.getByRole('tab', { name: `Unread ${count}` }).waitFor();
    await expectAccessible(page);
    await load(page, '/');
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: `More ${count} unread` }).click();
    await page
      .getByRole('dialog', { name: 'All views' })
      .getByRole('link', { name: `Notifications ${count} unread` })
      .click();
    await page.getByRole('tab', { name: `Unread ${count}` }).waitFor();
    await expectAccessible(page);
    await page.locator('.notifications .pr-link').first().waitFor();
    await page.locator('.notifications').getByRole('link', { name: 'SY-1' }).first().click();
    await page.getByRole('heading', { name: 'Durations come out wrong' }).waitFor();
    // Whoever reads the issue has read what was told of it.
    await expect.poll(unread).toBe(0);
    await page.getByRole('button', { name: 'More', exact: true }).waitFor();
    await page.setViewportSize(DESK);
    await page.locator('.rail').getByRole('link', { name: 'Notifications', exact: true }).waitFor();
  });

  it('does not ask about the set-up again once that is done', async () => {
    const asked: string[] = [];
    await load(page, '/board');
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/v1/setup') asked.push(request.url());
    });
    const { identifier } = await open.bench.client.createIssue({ title: 'One more' });
    // Whatever an event of an issue makes stale is read at once.
    await page.locator(`[href*="${identifier}"]`).first().waitFor();
    await open.bench.client.settled(identifier);
    expect(asked).toEqual([]);
  });

  it('has the same order on a phone, in groups with names', async () => {
    await page.setViewportSize(PHONE);
    await load(page, '/config');
    // What is open and not in the bar lies behind "More".
    const more = page.getByRole('button', { name: /^More/ });
    expect(await more.getAttribute('aria-current')).toBe('true');
    await more.click();
    const sheet = page.getByRole('dialog', { name: 'All views' });
    expect(await sheet.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([
      'Work',
      'Settings',
      'Help',
    ]);
    const shown = await sheet.locator('.rail-link > span:first-of-type').allInnerTexts();
    expect(shown.map((text) => text.trim())).toEqual([
      ...DAILY,
      ...SETTINGS.map(([label]) => label),
      'Documentation',
      'API explorer',
    ]);
    await takePicture(page, 'more-on-phone');
    await expectAccessible(page);
    await page.setViewportSize(DESK);
    expect(open.problems).toEqual([]);
  });
});

describe('the sidebar before set-up is done', () => {
  let open: OpenDashboard;
  let page: Page;
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest(), bare: true });
    ({ page } = open);
    await page.setViewportSize(DESK);
  }, START_TIMEOUT_MS);
  afterAll(() => open?.close());

  it('begins with Setup, on a phone too', async () => {
    await load(page, '/');
    await expect.poll(() => entries(page)).toEqual(['Setup', ...DAILY, 'Settings']);
    await load(page, '/setup');
    await expect.poll(() => entries(page)).toEqual(['Setup', ...DAILY, 'Settings']);
    const marked = page.locator('.rail-links [aria-current]');
    expect((await marked.allInnerTexts()).map((text) => text.trim())).toEqual(['Setup']);
    await load(page, '/config');
    await expect.poll(() => page.evaluate(CUT_OFF)).toEqual([]);
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: /^More/ }).click();
    const sheet = page.getByRole('dialog', { name: 'All views' });
    await expect.poll(() => sheet.getByRole('link').first().innerText()).toBe('Setup');
    expect(await sheet.getByRole('link', { name: 'Setup' }).count()).toBe(1);
    await expectAccessible(page);
    expect(open.problems).toEqual([]);
  });
});
