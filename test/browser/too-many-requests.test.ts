import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const API = '**/api/v1/**';
const PHONE = { width: 390, height: 844 };

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest(), mayRefuse: true, mayBeAway: true });
  ({ page } = open);
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const away = () => page.getByText('No connection to the service');

it('are told as such, and the page goes on by itself when it may', async () => {
  const limit = (route: Route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '6' },
      json: { error: 'too many requests: more than 600 in a minute', status: 429 },
    });
  await page.route(API, limit);
  await page.goto('/board');
  const banner = page.getByText('Too many requests came from this browser');
  await banner.waitFor();
  await page.getByText('Waiting', { exact: true }).waitFor({ state: 'attached' });
  await takePicture(page, 'too-many-requests');
  await page.setViewportSize(PHONE);
  await takePicture(page, 'too-many-requests-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await away().count()).toBe(0);
  await page.unroute(API, limit);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await banner.waitFor({ state: 'detached' });
  await page.getByRole('searchbox', { name: 'Filter issues' }).waitFor();
  expect(await page.getByText('Try again in').count()).toBe(0);
});

it('answers of a proxy are told by what they mean', async () => {
  const refuse = (route: Route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' });
  await page.route('**/api/v1/runners*', refuse);
  await page.goto('/runners');
  await page
    .getByText('A proxy answers, and the service behind it does not (status 502).')
    .first()
    .waitFor();
  await takePicture(page, 'proxy-answers');
  await page.unroute('**/api/v1/runners*', refuse);
});

it('an act that is refused says so, and its dialog does not wait until the page may ask again', async () => {
  const { client } = open.bench;
  await client.must('POST', '/pause', { reason: 'later' });
  const { identifier } = await client.createIssue({ title: 'Stand in the queue' });
  await page.goto(`/issues/${identifier}`);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.route(API, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '60' },
      json: { error: 'too many requests: more than 600 in a minute', status: 429 },
    }),
  );
  const dialog = page.getByRole('dialog', { name: `Stop ${identifier}?` });
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.locator('.toast').filter({ hasText: 'Too many requests' }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'wait' });
});
