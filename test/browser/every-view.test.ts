import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const START_TIMEOUT_MS = 180_000;
/** Those of the work are tested with work in them. */
const VIEWS = [
  ...['/requests', '/pull-requests', '/runners', '/notifications', '/automations', '/alerts'],
  ...['/templates', '/repositories', '/config', '/secrets', '/deliveries', '/workspaces'],
  ...['/audit', '/engine', '/setup'],
];

describe('every view on a phone in the dark', () => {
  let open: OpenDashboard;
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest(), mayRefuse: true });
    await open.page.setViewportSize({ width: 390, height: 844 });
    await open.page.emulateMedia({ colorScheme: 'dark' });
  }, START_TIMEOUT_MS);
  afterAll(() => open?.close());

  it.each(VIEWS)('%s is legible, operable and no wider than the window', async (path) => {
    const { page } = open;
    await page.goto(path);
    await page.locator('main h1').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
    expect(await page.evaluate<number>(overhang)).toBeLessThanOrEqual(0);
    await expectAccessible(page);
    expect(open.problems).toEqual([]);
  });
});
