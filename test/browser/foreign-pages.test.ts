import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { launchChromium } from '../support/browser/open-dashboard.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';

const START_TIMEOUT_MS = 240_000;
const REQUESTS = 40;

/** The ways in which a page reaches another site without asking it. Gives what it could read. */
const REACH = `async (service) => {
  const read = [];
  const note = (answer) => answer.text().then((text) => read.push(text), () => {});
  const asked = [];
  for (let times = 0; times < ${REQUESTS}; times += 1) {
    asked.push(fetch(service + '/api/v1/state', { mode: 'no-cors' }).then(note, () => {}));
    asked.push(fetch(service + '/api/v1/state').then(note, () => {}));
    asked.push(fetch(service + '/webhooks/tracker', { method: 'POST', mode: 'no-cors', body: '{}' })
      .then(note, () => {}));
    new Image().src = service + '/metrics?' + times;
    new EventSource(service + '/api/v1/events');
    new WebSocket(service.replace('http', 'ws') + '/api/v1/runners/connect');
    navigator.sendBeacon(service + '/api/v1/runners/join', '{}');
    const frame = document.createElement('iframe');
    frame.src = service + '/api/v1/state?' + times;
    document.body.append(frame);
  }
  await Promise.all(asked);
  return read.filter((text) => text !== '');
}`;

describe('pages of other sites in a browser on this machine', () => {
  let folder: string;
  let service: RunningService;
  let browser: Browser;
  let site: Server;
  beforeAll(async () => {
    await builtDashboard();
    folder = await mkdtemp(join(tmpdir(), 'swy-foreign-'));
    const args = ['--no-runner'];
    service = await startService({ dataDir: join(folder, 'data'), args });
    site = createServer((_request, answer) => {
      answer.setHeader('Content-Type', 'text/html');
      answer.end(`<!doctype html><body><a href="${service.url}/issues">Your issues</a>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    // Every name of theirs leads here, as a rebound one would.
    browser = await launchChromium(['--host-resolver-rules=MAP *.example 127.0.0.1']);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    site?.close();
    await service?.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const withPage = async <T>(work: (page: Page) => Promise<T>): Promise<T> => {
    const context = await browser.newContext();
    try {
      return await work(await context.newPage());
    } finally {
      await context.close();
    }
  };
  const port = (at: string) => Number(new URL(at).port);
  const sitePort = () => (site.address() as AddressInfo).port;
  const reach = (page: Page) =>
    page.evaluate<string[]>(`(${REACH})(${JSON.stringify(service.url)})`);
  /** What is left to callers on this machine, this one counted; all of it again after a minute. */
  const remaining = async () => {
    const answer = await fetch(`${service.url}/api/v1/session`);
    return Number(answer.headers.get('RateLimit-Remaining'));
  };

  it.each(['http://evil.example', 'http://localhost'])(
    'read nothing and use up nothing, from %s',
    async (origin) => {
      const before = await remaining();
      const read = await withPage(async (page) => {
        await page.goto(`${origin}:${sitePort()}/`);
        return reach(page);
      });
      expect(read).toEqual([]);
      expect(await remaining()).toBeGreaterThanOrEqual(before - 1);
    },
  );

  it('read nothing under a name that was made to point here', async () => {
    const before = await remaining();
    const said = await withPage(async (page) => {
      const answer = await page.goto(`http://evil.example:${port(service.url)}/`);
      expect(answer?.status()).toBe(403);
      return page.evaluate<number[]>(
        `Promise.all(['/api/v1/state', '/api/v1/session', '/metrics', '/healthz'].map((path) =>
          fetch(path).then((answer) => answer.status)))`,
      );
    });
    expect(said).toEqual([403, 403, 403, 403]);
    expect(await remaining()).toBeGreaterThanOrEqual(before - 1);
  });

  it('may link to the dashboard', async () => {
    await withPage(async (page) => {
      await page.goto(`http://evil.example:${sitePort()}/`);
      await page.getByText('Your issues').click();
      await page.getByText('Live', { exact: true }).waitFor();
      expect(page.url()).toBe(`${service.url}/issues`);
    });
  });
});
