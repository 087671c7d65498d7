import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../../control-plane/scripted-provider/scripted-provider.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { until } from '../support/e2e/until.ts';

const LINES = 10;
const START_TIMEOUT_MS = 180_000;

/** So many are counted before the service is killed; the others only after that. */
const LINES_BEFORE = 4;

/** One command after the other, each with a number of its own, until the last. */
function counts(killed: Promise<void>): Script {
  let next = 0;
  return async () => {
    next += 1;
    if (next > LINES_BEFORE) await killed;
    if (next > LINES) return say('I counted.\n\nSWITCHYARD_STATUS: DONE');
    return { ...exec(`echo line-${next}; sleep 0.4`), delayMs: 150 };
  };
}

describe('an open page while the service is killed and started again', () => {
  let open: OpenDashboard;
  const killed = Promise.withResolvers<void>();
  beforeAll(async () => {
    const config = { 'agent.retryBaseMs': 200, 'polling.intervalMs': 500 };
    open = await openDashboard({ script: counts(killed.promise), config, mayBeAway: true });
  }, START_TIMEOUT_MS);
  afterAll(() => {
    killed.resolve();
    return open?.close();
  });

  /** The numbers of the counting commands in the log, from top to bottom. */
  async function shown(): Promise<string[]> {
    const titles = await open.page
      .getByRole('log')
      .locator('.item-command .item-title')
      .allTextContents();
    return titles.flatMap((title) => /line-\d+/.exec(title)?.[0] ?? []);
  }

  /** The same as the service has stored it. */
  function stored(events: StreamEvent[]): string[] {
    const started = events.filter(({ data }) => {
      const payload = data['payload'] as { state?: string; item?: { type?: string } } | undefined;
      return (
        data['kind'] === 'item' && payload?.state === 'started' && payload.item?.type === 'command'
      );
    });
    return started.flatMap(({ data }) => /line-\d+/.exec(JSON.stringify(data))?.[0] ?? []);
  }

  it('goes on by itself, with every line once', async () => {
    const { page, bench } = open;
    // Tall enough that no row leaves the page for want of room.
    await page.setViewportSize({ width: 1200, height: 4_000 });
    const { identifier } = await bench.client.createIssue({ title: 'Count' });
    await page.goto(`/issues/${identifier}`);
    await page.evaluate('window.sameDocument = true');
    await page.getByRole('log').getByText('line-3').first().waitFor({ timeout: 90_000 });
    await bench.service.stop('SIGKILL');
    killed.resolve();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    const spilt = `(() => {
      const edge = document.querySelector('.rail').getBoundingClientRect().right;
      return [...document.querySelectorAll('.rail-foot *')]
        .filter((each) => each.getBoundingClientRect().right > edge)
        .map((each) => each.textContent || each.getAttribute('aria-label'));
    })()`;
    expect(await page.evaluate(spilt)).toEqual([]);
    await takePicture(page, 'reconnecting');
    const before = await shown();
    expect(before.length).toBeGreaterThan(2);
    await bench.restart();
    await page.getByText('Live', { exact: true }).waitFor();
    const settled = await bench.client.settled(identifier);
    const attemptId = settled.attempts[0]?.attemptId ?? '';
    const told = stored((await bench.client.attempt(attemptId)).events);
    const same = async () => (await shown()).join() === told.join();
    await until(same, (is) => is, { what: 'the whole log', timeoutMs: 45_000 });
    expect(await page.evaluate('window.sameDocument')).toBe(true);
    expect((await shown()).slice(0, before.length)).toEqual(before);
    expect(new Set(told).size).toBe(told.length);
    expect(settled.status).toBe('completed');
    expect(told.length).toBeGreaterThan(before.length);
    await page.getByText('Ended').first().waitFor();
  });

  it('left nothing in the console but that the service was away', () => {
    expect(open.problems).toEqual([]);
  });
});
