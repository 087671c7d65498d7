import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { asksQuestion, byPrompt } from '../support/scripted-model/scripts.ts';
import { dashboardViews } from '../support/browser/dashboard-views.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { until } from '../support/e2e/until.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const START_TIMEOUT_MS = 180_000;
const ASK_TIMEOUT_MS = 60_000;
const VIEW_TIMEOUT_MS = 120_000;
const TITLE = 'Fix the failing test';
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

const LOOKS = [
  { look: 'light', colorScheme: 'light', viewport: DESK },
  { look: 'dark', colorScheme: 'dark', viewport: DESK },
  { look: 'light, on a phone', colorScheme: 'light', viewport: PHONE },
  { look: 'dark, on a phone', colorScheme: 'dark', viewport: PHONE },
] as const;

type Open = (page: Page) => Promise<void>;
const press =
  (name: string | RegExp): Open =>
  (page) =>
    page.getByRole('main').getByRole('button', { name }).first().click();
const chosen =
  (name: string): Open =>
  async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(name);
    await page.getByRole('option', { name }).first().click();
  };

/** What opens over a view: where, how, and the name of the dialog. */
const DIALOGS: readonly [path: string, open: Open, dialog: RegExp][] = [
  ['/', (page) => page.keyboard.press('Control+k'), /Command palette/],
  ['/', (page) => page.keyboard.press('?'), /Keyboard shortcuts/],
  ['/', chosen('Pause all work'), /Pause all work/],
  ['/', chosen('Sign out everywhere'), /Sign out everywhere/],
  ['/board', press('New issue'), /New issue/],
  ['/issues/SY-1', press(/^Move/), /^Move SY-1/],
  ['/issues/SY-1', press(/Model/), /^Engine, model and template/],
  ['/issues/SY-2', press(/^Stop/), /^Stop SY-2/],
  ['/secrets', press(/Add a secret/), /Add a secret/],
  ['/runners', press('Add a runner'), /Add a runner/],
];

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({
    script: byPrompt([{ match: 'Pick a colour', script: asksQuestion }], fixFailingTest()),
    mayRefuse: true,
  });
  ({ page } = open);
  const { client } = open.bench;
  await client.createIssue({ title: TITLE });
  await client.settled('SY-1');
  await client.createIssue({ title: 'Pick a colour for the button' });
  await until(
    () => client.must('GET', '/requests'),
    (told) => JSON.stringify(told).includes('asked'),
    {
      what: 'the question of the second issue',
      timeoutMs: ASK_TIMEOUT_MS,
    },
  );
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

/** In each look, without loading the page anew. */
async function accessibleInEveryLook(): Promise<void> {
  for (const { look, colorScheme, viewport } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await expectAccessible(page, look);
  }
}

async function show(path: string): Promise<void> {
  await page.setViewportSize(DESK);
  await page.goto(path);
  await page.locator('main h1').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

describe('nothing keeps anybody out, light or dark, on a desk or a phone', () => {
  const paths = [...dashboardViews(TITLE).map(([path]) => path), '/feed', '/issues/SY-2'];
  it.each(paths)(
    '%s',
    async (path) => {
      await show(path);
      await accessibleInEveryLook();
    },
    VIEW_TIMEOUT_MS,
  );

  it(
    'the page of a pull request',
    async () => {
      const { id } = await open.bench.client.pullRequestOf('SY-1');
      await show(`/pull-requests/${id}`);
      await accessibleInEveryLook();
    },
    VIEW_TIMEOUT_MS,
  );

  it.each(DIALOGS)(
    '%s with what opens over it: %#',
    async (path, openDialog, name) => {
      await show(path);
      await openDialog(page);
      await page.getByRole('dialog', { name }).waitFor();
      await accessibleInEveryLook();
      expect(await page.getByRole('dialog', { name }).isVisible()).toBe(true);
    },
    VIEW_TIMEOUT_MS,
  );
});
