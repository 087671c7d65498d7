import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

describe('the API explorer', () => {
  let open: OpenDashboard;
  const requested: string[] = [];
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest() });
    open.page.on('request', (request) => void requested.push(request.url()));
  }, 180_000);
  afterAll(() => open?.close());

  it('shows every operation and asks nobody but this service', async () => {
    const { page } = open;
    await page.goto('/api/docs');
    await page.getByText('Snapshot of issues and totals').first().waitFor();
    const origin = new URL(page.url()).origin;
    expect(requested.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual(
      [],
    );
    expect(open.problems).toEqual([]);
  });

  it('sends a request and shows its answer', async () => {
    const { page } = open;
    await page.goto('/api/docs');
    await page.getByText('Version, data directory and features').first().click();
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/v1/runtime'));
    const [answer] = await Promise.all([
      answered,
      page.getByRole('button', { name: 'EXECUTE' }).first().click(),
    ]);
    expect(answer.status()).toBe(200);
    await page.getByText('uptime_seconds').first().waitFor();
    expect(open.problems).toEqual([]);
  });
});
