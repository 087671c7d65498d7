import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { fetchRoute } from '../support/browser/fetch-route.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 390, height: 844 };
/** A tenth of the window. */
const BANNERS_MAX_PX = 84;
const LONG =
  'vm: agents run as plain processes, as configured: nothing protects this host from them.';
/** What a notice may be about: upstreams, configuration and runners. */
const CODES = (Object.keys(REASON_CATALOGUE) as ReasonCode[]).filter((code) =>
  /^(provider|codehost|config|runner)_/.test(code),
);

type Shown = { codes?: readonly ReasonCode[]; paused?: boolean; demo?: boolean };

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest(), mayBeAway: true });
  ({ page } = open);
  await page.setViewportSize(PHONE);
  await open.bench.client.createIssue({ title: 'Durations come out wrong' });
  await open.bench.client.settled('SY-1');
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

/** The service's own answers with these banners in them. */
async function show({ codes = [], paused = false, demo = false }: Shown): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const withState = (state: object) => ({
    ...state,
    paused: paused ? { reason: LONG, since: '2026-01-01T00:00:00.000Z' } : null,
    notices: codes.map((code) => ({ id: code, code, detail: LONG, since: null, until: null })),
  });
  await page.route('**/api/v1/state', (route) => changed(route, withState));
  await page.route('**/api/v1/runtime', (route) =>
    changed(route, (runtime) => ({ ...runtime, feature_flags: { demo } })),
  );
  await page.goto('/costs');
  await page.locator('main h1').first().waitFor();
  await page.locator('.banner').first().waitFor({ state: 'attached' });
}

async function changed(route: Route, change: (answer: object) => object): Promise<void> {
  const { 'if-none-match': _tag, ...headers } = await route.request().allHeaders();
  // The service may have been stopped meanwhile.
  const answer = await fetchRoute(route, { headers }).catch(() => null);
  if (answer === null) return route.abort('connectionrefused');
  await route.fulfill({ response: answer, json: change((await answer.json()) as object) });
}

const height = async () => (await page.locator('.banners').boundingBox())?.height ?? 0;

describe('banners on a phone', () => {
  it(
    'take at most a tenth of the window, of whichever kind',
    async () => {
      const tall: string[] = [];
      for (const code of CODES) {
        await show({ codes: [code] });
        if ((await height()) > BANNERS_MAX_PX) tall.push(code);
      }
      await show({ paused: true });
      if ((await height()) > BANNERS_MAX_PX) tall.push('paused');
      await show({ demo: true });
      if ((await height()) > BANNERS_MAX_PX) tall.push('demo');
      expect(tall).toEqual([]);
    },
    START_TIMEOUT_MS,
  );

  it('lead from the warning of isolation to what the documentation says of it', async () => {
    await show({ codes: ['runner_warning'] });
    await page.getByRole('button', { name: 'Show the whole notice' }).click();
    await page.getByRole('link', { name: 'What isolation protects' }).click();
    await page.locator('#what-is-protected').getByRole('heading').waitFor();
    expect(new URL(page.url()).hash).toBe('#what-is-protected');
  });

  it('take it all at once too, and open to all that they say', async () => {
    await show({ codes: CODES, paused: true, demo: true });
    expect(await height()).toBeLessThanOrEqual(BANNERS_MAX_PX);
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'phone-banners');
    const fold = page.getByRole('button', { name: `Show all ${CODES.length + 2} notices` });
    await fold.click();
    await page.getByRole('button', { name: 'Show one line' }).waitFor();
    await page
      .locator('.banner')
      .last()
      .getByRole('button', { name: /^Dismiss/ })
      .click();
    await expectAccessible(page);
    await takePicture(page, 'phone-banners-open');
    await page.getByRole('button', { name: 'Show one line' }).click();
    expect(await height()).toBeLessThanOrEqual(BANNERS_MAX_PX);
  });

  it('begin with the connection that is lost', async () => {
    await show({ codes: CODES.slice(0, 3), paused: true, demo: true });
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await open.bench.service.stop();
    await page.getByText('No connection to the service').waitFor();
    expect(await height()).toBeLessThanOrEqual(BANNERS_MAX_PX);
    expect(open.problems).toEqual([]);
  });
});
