import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../../control-plane/scripted-provider/scripted-provider.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { openStreams } from '../support/e2e/open-streams.ts';
import { until } from '../support/e2e/until.ts';

const TABS = 12;
const STREAMS_MAX = 20;
const START_TIMEOUT_MS = 180_000;
const HELD = 'Hold on while twelve look';
const VIEWS = ['/board', '/feed', '/', '/inbox', '/runners', '/costs'];

/** A page that was kept is loaded already. */
const COMMIT = { waitUntil: 'commit' } as const;
/** Says of a page whether the browser had kept it for "back". */
const KEPT = `addEventListener('pageshow', ({ persisted }) => (window.wasKept = persisted));`;

describe('a browser with many tabs', () => {
  let open: OpenDashboard;
  const held = Promise.withResolvers<void>();
  /** One command, and the end once all tabs have seen it; other issues are done at once. */
  const script: Script = async ({ stepIndex, userTexts }) => {
    const isHeld = userTexts.join('').includes(HELD);
    if (isHeld && stepIndex === 0) return exec('echo held-line');
    if (isHeld) await held.promise;
    return say('It is counted.\n\nSWITCHYARD_STATUS: DONE');
  };
  beforeAll(async () => {
    open = await openDashboard({
      script,
      config: { 'limits.streamsPerClient': STREAMS_MAX },
      mayBeAway: true,
      keepsPages: true,
    });
  }, START_TIMEOUT_MS);
  afterAll(() => {
    held.resolve();
    return open?.close();
  });
  afterEach(async () => {
    for (const page of open.context.pages()) if (page !== open.page) await page.close();
    expect(open.problems).toEqual([]);
  });

  const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor();
  const load = async (page: Page, path: string) => {
    await page.goto(path);
    await live(page);
  };
  const streamsAre = (wanted: number) =>
    until(
      () => openStreams(open.bench.client.url, STREAMS_MAX),
      (count) => count === wanted,
      { what: `${wanted} event streams of this browser`, timeoutMs: 45_000 },
    );

  /** Opens tabs one after the other, as a person does. */
  async function tabs(count: number, views: readonly string[]): Promise<Page[]> {
    const pages: Page[] = [];
    while (pages.length < count) {
      const page = pages.length === 0 ? open.page : await open.context.newPage();
      await load(page, views[pages.length % views.length] ?? '/');
      pages.push(page);
    }
    return pages;
  }

  /** A new issue is seen on all of them; they must show the board. */
  async function allShow(pages: readonly Page[], title: string): Promise<void> {
    await open.bench.client.createIssue({ title });
    await Promise.all(pages.map((page) => page.getByText(title).first().waitFor()));
  }

  it('has all twelve loaded and live, over one stream', async () => {
    const pages = await tabs(TABS, VIEWS);
    await streamsAre(1);
    for (const page of pages) await load(page, '/board');
    await allShow(pages, 'Seen by twelve');
    await streamsAre(1);
  });

  it('shows what an agent does in all of them, and leaves connections to load others', async () => {
    const { identifier } = await open.bench.client.createIssue({ title: HELD });
    const pages = await tabs(TABS, [`/issues/${identifier}`]);
    await Promise.all(
      pages.map((page) => page.getByRole('log').getByText('held-line').first().waitFor()),
    );
    // One of events, and those that show what is being written in the two that were looked at last.
    await streamsAre(3);
    // Where one of those goes, the one that was looked at before has its turn.
    await pages.pop()?.close();
    await streamsAre(3);
    held.resolve();
    await Promise.all(pages.map((page) => page.getByText('It is counted').first().waitFor()));
    await streamsAre(1);
  });

  it('loads ten addresses one after the other in one tab, and goes back and forward', async () => {
    const { page } = open;
    await page.addInitScript(KEPT);
    for (const path of [...VIEWS, ...VIEWS].slice(-10)) await load(page, path);
    await load(page, '/board');
    await streamsAre(1);
    await page.goBack(COMMIT);
    await page.goBack(COMMIT);
    await live(page);
    await streamsAre(1);
    const { title } = await open.bench.client.createIssue({ title: 'Made meanwhile' });
    await page.goForward(COMMIT);
    await page.goForward(COMMIT);
    expect(page.url()).toMatch(/board$/);
    // Without this the test would show nothing: a browser that keeps no page loads it anew.
    expect(await page.evaluate('window.wasKept')).toBe(true);
    await page.getByText(title).first().waitFor();
    await allShow([page], 'Made after that');
    await streamsAre(1);
  });

  it('goes on when the tab that holds the stream is closed, crashes or is frozen', async () => {
    const pages = await tabs(5, ['/board']);
    await pages.pop()?.close();
    await allShow(pages, 'After a closed tab');
    const crashing = pages.pop();
    await load(crashing ?? open.page, '/board');
    await crashing?.goto('chrome://crash').catch(() => null);
    await allShow(pages, 'After a crashed tab');
    const frozen = pages.pop() ?? open.page;
    await load(frozen, '/board');
    const devtools = await open.context.newCDPSession(frozen);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    await allShow(pages, 'While a tab is frozen');
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await allShow([...pages, frozen], 'Everywhere again');
    await frozen.getByText('While a tab is frozen').first().waitFor();
    await streamsAre(1);
  });

  it('reconnects once after the service was killed, and every tab shows what is new', async () => {
    const pages = await tabs(TABS, ['/board']);
    const { bench } = open;
    await bench.service.stop('SIGKILL');
    const reconnecting = (page: Page) => page.getByText('Reconnecting', { exact: true }).waitFor();
    await Promise.all(pages.map(reconnecting));
    await bench.restart();
    await allShow(pages, 'Since the restart');
    await Promise.all(pages.map(live));
    await streamsAre(1);
  });
});
