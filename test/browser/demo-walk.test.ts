import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { launchChromium } from '../support/browser/open-dashboard.ts';
import { type WatchedPage, watchedPage } from '../support/browser/watched-page.ts';
import { nodeCommand, type RunningService, startService } from '../support/e2e/start-service.ts';
import { until } from '../support/e2e/until.ts';

const START_TIMEOUT_MS = 180_000;
const WAIT_MS = 60_000;
const [node, ...first] = nodeCommand;

describe('the demo in a browser', () => {
  let service: RunningService;
  let watched: WatchedPage;
  const ends: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    await builtDashboard();
    const dataDir = await mkdtemp(join(tmpdir(), 'swy-demo-'));
    ends.push(() => rm(dataDir, { recursive: true, force: true }));
    service = await startService({
      dataDir,
      command: [node, ...first, 'demo'],
      args: ['--sandbox', 'process', '--think-ms', '2500'],
      env: { SWITCHYARD_CHECKOUT: '.' },
    });
    ends.push(
      () => service.kill(),
      () => service.stop(),
    );
    const browser = await launchChromium();
    ends.push(() => browser.close());
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(WAIT_MS);
    watched = await watchedPage(context);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  it('shows the issue at work, says what it is, and ends on the pull request to merge', async () => {
    const { page, problems } = watched;
    const address = await until(
      () => /^watch it at (http:\S+)$/m.exec(service.output())?.[1] ?? '',
      (found) => found !== '',
      { what: 'the address of the issue', timeoutMs: WAIT_MS },
    );
    expect(address).toMatch(/\/issues\/SY-1$/);
    await page.goto(address);
    const banner = page.locator('.banner.demo');
    await banner.getByText('An agent is fixing a failing test').waitFor();
    await expectAccessible(page);
    // The page goes on by itself when the agent has finished.
    await page.waitForURL(/\/pull-requests\//);
    await banner.getByRole('link', { name: 'Merge your first pull request' }).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('src/format-duration.js').first().waitFor();
    await expectAccessible(page);
    // Whoever loads the issue anew wants to see it.
    await page.goto(address);
    const merge = banner.getByRole('link', { name: 'Merge your first pull request' });
    await merge.waitFor();
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await page.waitForURL(/\/issues\/SY-1\?view=changes/);
    await merge.click();
    await page.waitForURL(/\/pull-requests\//);
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
    await banner.getByText('Demo complete').waitFor();
    await banner.getByText('npm start', { exact: true }).waitFor();
    // Whoever goes back to the issue stays there.
    await page.goto(address);
    await banner.waitFor();
    expect(new URL(page.url()).pathname).toBe('/issues/SY-1');
    await page.locator('.issue-state').getByText('The pull request is merged.').waitFor();
    expect(problems).toEqual([]);
  }, 240_000);
});
