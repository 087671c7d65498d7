import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const DESK = { width: 1280, height: 800 };
/** Set by whoever runs the service, below what the dashboard sets. */
const OPERATORS = { input: 3, output: 4 };
const PHONE = { width: 390, height: 844 };

let open: OpenDashboard;
let page: Page;
let model: string;
beforeAll(async () => {
  const env = { SERVICE_CONFIG__prices: JSON.stringify({ 'of-the-operator': OPERATORS }) };
  open = await openDashboard({ script: fixFailingTest(), mayRefuse: true, env });
  ({ page } = open);
  const { client } = open.bench;
  await client.createIssue({ title: 'Durations come out wrong' });
  await client.settled('SY-1');
  const { engine } = await client.must<{ engine: { model: string } }>('GET', '/config');
  ({ model } = engine);
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const load = async (path: string) => {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
};
const priced = (name: string) => page.getByRole('group', { name });

it('no page shows a cost of nothing for work that has no price, and the way to the form is there', async () => {
  await page.setViewportSize(DESK);
  await load('/costs');
  const days = page.getByRole('region', { name: 'Costs by day' });
  await days.getByRole('row', { name: /^Today no price/ }).waitFor();
  for (const path of ['/', '/issues/SY-1', '/issues/SY-1?view=compare']) {
    await load(path);
    await page.getByText('no price').first().waitFor();
    expect(await page.getByText('$0.00').count(), path).toBe(0);
  }
  await load('/engine');
  await page.getByText(`No price is known for ${model}`).waitFor();
  await takePicture(page, 'prices-missing-engine');
  await page.getByRole('link', { name: 'Set prices' }).click();
  await page.getByRole('heading', { name: 'Prices' }).waitFor();
  await priced(model).getByText('No price is known').waitFor();
  const first = priced(model).locator('label:text-is("Input") + input:focus');
  await first.waitFor();
  // Also on the page itself, as often as one asks.
  await page.getByRole('heading', { name: 'Costs', exact: true }).click();
  await page.getByRole('link', { name: 'Set prices' }).click();
  await first.waitFor();
  await takePicture(page, 'prices-arrived');
  await expectAccessible(page);
});

it('says beside a budget of cost that it cannot take effect', async () => {
  await load('/costs');
  const budget = page.getByRole('textbox', { name: 'Cost per day (USD)' });
  const about = await budget.getAttribute('aria-describedby');
  expect(await page.locator(`[id="${about}"]`).innerText()).toContain('cannot take effect');
  await takePicture(page, 'prices-missing-costs');
});

it('refuses what is no price and keeps what was typed', async () => {
  await load('/costs');
  const field = priced(model).getByLabel('Input', { exact: true });
  await field.fill('1,25');
  await page.getByRole('button', { name: 'Set prices' }).click();
  await priced(model).getByRole('alert').getByText('"1,25" is no price').waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
  expect(await field.inputValue()).toBe('1,25');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await priced(model).locator('[aria-invalid="true"]:focus').waitFor();
  await takePicture(page, 'prices-refused');
});

it('takes prices of models in use and of others, and reckons what comes then by them', async () => {
  const { client } = open.bench;
  await load('/costs');
  for (const [label, figure] of [
    ['Input', '1000'],
    ['Cached input', '0'],
    ['Output', '2000'],
  ] as const) {
    await priced(model).getByLabel(label, { exact: true }).fill(figure);
  }
  const other = priced('Another model');
  await other.getByLabel('Name, as the provider spells it').fill('vendor/other-1.5');
  await other.getByLabel('Input', { exact: true }).fill('0.25');
  await other.getByLabel('Output', { exact: true }).fill('2');
  await page.getByRole('button', { name: 'Set prices' }).click();
  await page.locator('.toast').filter({ hasText: 'Prices set' }).waitFor();
  await priced('vendor/other-1.5').waitFor();
  const { prices } = await client.must<{ prices: unknown }>('GET', '/config');
  expect(prices).toEqual({
    [model]: { input: 1000, cachedInput: 0, output: 2000 },
    'vendor/other-1.5': { input: 0.25, cachedInput: 0.25, output: 2 },
    'of-the-operator': OPERATORS,
  });
  await client.createIssue({ title: 'Durations come out wrong again' });
  await client.settled('SY-2');
  await load('/costs');
  // The work of before has no price and never will: the sum says so.
  await page
    .getByRole('region', { name: 'Costs by day' })
    .getByRole('row', { name: /^Today ≥ \$[1-9]/ })
    .waitFor();
  await page.getByText('≥: at least').waitFor();
  await takePicture(page, 'prices-set-costs');
  await load('/');
  await page.getByText(/^≥ \$/).first().waitFor();
  await page.getByText('2 attempts done, 0 not done').waitFor();
  await takePicture(page, 'prices-set-overview');
  await load('/issues/SY-2');
  expect(await page.getByText('≥ $').filter({ visible: true }).count()).toBeLessThanOrEqual(1);
  await takePicture(page, 'prices-set-issue');
});

it('says of a price that was not set here where it is changed', async () => {
  await load('/costs');
  const row = priced('of-the-operator');
  for (const label of ['Input', 'Output']) await row.getByLabel(label, { exact: true }).fill('');
  await page.getByRole('button', { name: 'Set prices' }).click();
  await page.getByRole('alert').getByText('stands in the base file or the environment').waitFor();
});

it('takes a price back, on a phone and with the keyboard', async () => {
  await page.setViewportSize(PHONE);
  await load('/costs');
  const row = priced('vendor/other-1.5');
  await row.scrollIntoViewIfNeeded();
  await takePicture(page, 'prices-phone');
  for (const label of ['Input', 'Cached input', 'Output']) {
    await row.getByLabel(label, { exact: true }).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
  }
  await page.keyboard.press('Enter');
  await page.locator('.toast').filter({ hasText: 'Prices set' }).waitFor();
  await row.waitFor({ state: 'detached' });
  await expectAccessible(page);
  expect(open.problems).toEqual([]);
});
