import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLOCKED } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { fetchRoute } from '../support/browser/fetch-route.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const OVERFLOWS = 'document.documentElement.scrollWidth > innerWidth';

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({ script: () => say(`Which port is meant?\n\n${BLOCKED}`) });
  ({ page } = open);
  const { client } = open.bench;
  for (const title of ['Listen on the right port', 'Listen on the other port', 'Listen on both']) {
    const { identifier } = await client.createIssue({ title });
    expect(await client.settled(identifier)).toMatchObject({ status: 'blocked' });
  }
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const others = () => page.getByRole('list', { name: 'Other issues that need you' });
const question = (identifier: string) => page.getByRole('dialog', { name: `Stop ${identifier}?` });

describe('an issue that is blocked', () => {
  it('is stopped from the inbox, on a phone too, and needs nobody any more', async () => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Stop SY-1' }).waitFor();
    await takePicture(page, 'overview-stop');
    await page.setViewportSize(PHONE);
    await takePicture(page, 'overview-stop-phone');
    expect(await page.evaluate(OVERFLOWS)).toBe(false);
    await page.goto('/requests');
    await others().getByText('SY-1').first().waitFor();
    await takePicture(page, 'inbox-stop-phone');
    expect(await page.evaluate(OVERFLOWS)).toBe(false);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop SY-1' }).click();
    await question('SY-1').getByText('It no longer needs you.').waitFor();
    await takePicture(page, 'inbox-stop-question-phone');
    await question('SY-1').getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stop SY-1' }).waitFor({ state: 'detached' });
    await page.getByText('2 issues need you.').waitFor();
  });

  it('is stopped from its page by the keyboard, and can be retried there', async () => {
    await page.setViewportSize(DESKTOP);
    await page.goto('/issues/SY-2');
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await page.keyboard.press('a');
    await question('SY-2').waitFor();
    await question('SY-2').getByRole('button', { name: 'Stop', exact: true }).press('Enter');
    await page.locator('.issue-state').getByText('Stopped by you').waitFor();
    expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await takePicture(page, 'stopped-issue');
    await page.goto('/requests');
    await page.getByText('1 issue needs you.').waitFor();
    await takePicture(page, 'inbox-stop');
  });

  it('stands in a column of its own once its tracker shows it no more', async () => {
    for (const path of ['**/api/v1/state', '**/api/v1/local/issues*', '**/api/v1/issues?*']) {
      await page.route(path, async (route) => {
        const { 'if-none-match': _tag, ...headers } = await route.request().allHeaders();
        const response = await fetchRoute(route, { headers });
        const shown = (await response.text()).replaceAll('"outOfSight":false', '"outOfSight":true');
        await route.fulfill({ response, body: shown });
      });
    }
    await page.goto('/board');
    const column = page.getByRole('region', { name: 'Not tracked' });
    await column.getByText('Listen on both').waitFor();
    await column.getByText('The issue is no longer in the tracker').first().waitFor();
    await expectAccessible(page);
    await takePicture(page, 'board-not-in-tracker');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
