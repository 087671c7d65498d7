import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { everythingOf } from '../support/e2e/everything-of.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { switchyard } from '../support/e2e/switchyard.ts';
import { until } from '../support/e2e/until.ts';
import { sqldPart } from '../support/sqld/sqld-part.ts';
import { type Sqld, startSqld } from '../support/sqld/start-sqld.ts';
import { type Edge, startEdge } from '../support/workerd/start-edge.ts';

const TIMEOUT_MS = 240_000;
const SAME_WITHIN_MS = 60_000;
const TITLE = 'Fix the failing test';

/** The titles of a finished issue's log, once there is nothing more to come. */
async function logOf(page: Page, origin: string): Promise<string[]> {
  await page.goto(`${origin}/issues/SY-1`);
  await page.getByRole('heading', { name: TITLE }).first().waitFor();
  const log = page.getByRole('log');
  await log.getByText('Ended').first().waitFor();
  return log.locator('.item-title').allTextContents();
}

/** Addresses of pages begin with where a service is; what is stored keeps where it was. */
function withoutOrigins(shown: unknown, origins: readonly string[]): unknown {
  const text = origins.reduce((rest, one) => rest.replaceAll(one, ''), JSON.stringify(shown));
  return JSON.parse(text);
}

describe.skipIf(!sqldPart().available)('an installation that moves to a Worker', () => {
  let open: OpenDashboard;
  let sqld: Sqld | undefined;
  let edge: Edge | undefined;
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest(), mayBeAway: true, mayRefuse: true });
    sqld = await startSqld();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await open?.close();
    await (edge ?? { close: () => sqld?.stop() }).close();
  });

  it(
    'shows the same issues, attempts and events there',
    async () => {
      const { bench, page, problems } = open;
      const server = sqld;
      if (server === undefined) throw new Error('no libSQL server');
      await bench.client.createIssue({ title: TITLE });
      expect(await bench.client.settled('SY-1')).toMatchObject({ status: 'completed' });
      await page.setViewportSize({ width: 1200, height: 6_000 });
      await bench.service.stop();
      // What it shows once nothing more happens to the issue is what must be shown elsewhere.
      await bench.restart();
      const { url: here } = bench.service;
      const seen = withoutOrigins(await everythingOf(bench.client), [here]);
      const log = await logOf(page, here);
      expect(log.length).toBeGreaterThan(2);
      await page.goto('about:blank');
      await bench.service.stop();

      const masterKey = randomBytes(32).toString('base64');
      const moved = await switchyard(
        ['data', 'export', '--data-dir', bench.service.dataDir],
        bench.folder,
        {
          SERVICE_DATABASE_URL: server.url,
          SERVICE_DATABASE_TOKEN: server.token,
          SERVICE_REMOTE_MASTER_KEY: masterKey,
        },
      );
      expect(moved.code, moved.stderr).toBe(0);

      edge = await startEdge({ sqld: server, settings: { SERVICE_MASTER_KEY: masterKey } });
      const { url, writeToken, logs } = edge;
      const client = new ServiceClient(url, () => logs().join('\n'), writeToken);
      expect(withoutOrigins(await everythingOf(client), [here, url])).toEqual(seen);
      const read = () => logOf(page, url);
      const same = (shown: string[]) => shown.join() === log.join();
      await until(read, same, { what: 'the same log', timeoutMs: SAME_WITHIN_MS });
      await page.goto(`${url}/board`);
      await page.getByText('SY-1', { exact: true }).first().waitFor();
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'lets a person in with a token, and goes on with the setup there',
    async () => {
      const { page, problems } = open;
      if (edge === undefined) throw new Error('no Worker');
      await page.setViewportSize({ width: 1200, height: 900 });
      await page.goto(`${edge.url}/setup?step=master_key`);
      const step = page.locator('.wizard-step');
      await step.getByText('SERVICE_MASTER_KEY').waitFor();
      await step.getByRole('button', { name: "I've saved a backup" }).click();
      const dialog = page.getByRole('dialog', { name: 'Sign in' });
      await dialog.getByText('changing things from another machine needs').waitFor();
      await dialog.getByLabel('Token').fill('not-the-token');
      await page.keyboard.press('Enter');
      await dialog.getByText('the token is wrong').waitFor();
      await dialog.getByLabel('Token').fill(edge.writeToken);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await step.getByRole('button', { name: "I've saved a backup" }).click();
      await step.locator('header').getByText('Done', { exact: true }).waitFor();
      const steps = page.getByRole('navigation', { name: 'Steps' });
      await steps.getByRole('link', { name: /^Tracker/ }).click();
      await step.getByText('The tracker answers').waitFor();
      await steps.getByRole('link', { name: /^Repository/ }).click();
      // The runner of the old place is not here, and the page says so.
      await step.getByText('no runner is connected').first().waitFor();
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
