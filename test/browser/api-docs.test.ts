import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

describe('the API explorer', () => {
  let open: OpenDashboard;
  const requested: string[] = [];
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest() });
    open.page.on('request', (request) => void requested.push(request.url()));
  }, 180_000);
  afterAll(() => open?.close());

  it('shows every operation, by day and by night, and asks nobody but this service', async () => {
    const { page } = open;
    await page.goto('/api/docs');
    await page.getByText('Snapshot of issues and totals').first().waitFor();
    await page.getByText('From an issue to a reviewed pull request').waitFor();
    const origin = new URL(page.url()).origin;
    expect(requested.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual(
      [],
    );
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: null });
    expect(open.problems).toEqual([]);
  });

  it.each([
    { by: 'mouse', makeHands: mouseHands },
    { by: 'keyboard alone', makeHands: keyboardHands },
  ])('sends a request and shows its answer, by $by', async ({ makeHands }) => {
    const { page } = open;
    await page.goto('/');
    await page.getByText('Live', { exact: true }).waitFor();
    const hands = makeHands(page);
    await hands.goTo('Settings');
    await hands.activate(page.getByRole('link', { name: 'API explorer' }));
    const operation = 'Version, data directory and features';
    await hands.activate(page.getByRole('link', { name: operation }).first());
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/v1/runtime'));
    const [answer] = await Promise.all([
      answered,
      hands.activate(page.getByRole('button', { name: 'EXECUTE' }).first()),
    ]);
    expect(answer.status()).toBe(200);
    await page.getByText('uptime_seconds').first().waitFor();
    await expectAccessible(page);
    expect(open.problems).toEqual([]);
  });
});
