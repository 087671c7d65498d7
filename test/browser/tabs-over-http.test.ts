import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { launchChromium } from '../support/browser/open-dashboard.ts';
import { ServiceClient } from '../support/e2e/service-client.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';

const TABS = 12;
const TOKEN = 'a-write-token-of-the-test';
/** A name that is not of this machine, so that the browser trusts the connection no more than it is. */
const ADDRESS = 'http://switchyard.test';
const START_TIMEOUT_MS = 240_000;

describe('twelve tabs on another machine, over plain HTTP', () => {
  let folder: string;
  let service: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    await builtDashboard();
    folder = await mkdtemp(join(tmpdir(), 'swy-http-'));
    service = await startService({
      dataDir: join(folder, 'data'),
      args: ['--no-runner'],
      env: { SERVICE_WRITE_TOKEN: TOKEN, SERVICE_PUBLIC_ORIGIN: ADDRESS },
    });
    const { host } = new URL(service.url);
    browser = await launchChromium([`--host-resolver-rules=MAP switchyard.test:80 ${host}`]);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it('are all loaded and live, where pages have no locks', async () => {
    const context = await browser.newContext({ baseURL: ADDRESS });
    context.setDefaultTimeout(45_000);
    const pages: Page[] = [];
    while (pages.length < TABS) {
      const page = await context.newPage();
      pages.push(page);
      await page.goto('/board');
      await page.getByText('Live', { exact: true }).waitFor();
    }
    expect(await pages[0]?.evaluate('[isSecureContext, "locks" in navigator]')).toEqual([
      false,
      false,
    ]);
    await new ServiceClient(service.url, service.output, TOKEN).createIssue({ title: 'By all' });
    await Promise.all(pages.map((page) => page.getByText('By all').first().waitFor()));
  });
});
