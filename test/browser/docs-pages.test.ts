import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 390, height: 844 };

let open: OpenDashboard;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest() });
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

describe('the documentation in the dashboard', () => {
  it.each(['/docs', '/docs/'])('is found at %s', async (path) => {
    const { page } = open;
    await page.goto('/');
    await page.goto(path);
    await page.getByRole('heading', { name: 'Setup', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/setup');
    // "Back" leads to where one came from.
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  it("shows a phone the page's text first, and the other pages when asked", async () => {
    const { page } = open;
    await page.setViewportSize(PHONE);
    await page.goto('/docs/security');
    const text = page.locator('.docs article');
    await text.waitFor();
    await takePicture(page, 'docs-on-a-phone');
    const top = (await text.boundingBox())?.y ?? PHONE.height;
    expect(top).toBeLessThan(PHONE.height / 4);
    await expectAccessible(page);
    const pages = page.getByRole('navigation', { name: 'Documentation' });
    await pages.getByText('Pages').click();
    await takePicture(page, 'docs-pages-on-a-phone');
    await pages.getByRole('link', { name: 'Upgrading' }).click();
    await page.getByRole('heading', { name: 'Upgrading', level: 1 }).waitFor();
    expect((await text.boundingBox())?.y).toBeLessThan(PHONE.height / 4);
  });

  it('is set as it is meant, long sections too', async () => {
    const { page } = open;
    await page.goto('/docs/security');
    const section = page.locator('#what-is-protected');
    await section.getByText('The host from the agent, with Docker.', { exact: true }).waitFor();
    expect(await page.locator('.docs article').innerText()).not.toMatch(/\*\*|`/);
  });

  it('has its pages beside the text where there is room', async () => {
    const { page } = open;
    await page.setViewportSize({ width: 800, height: 1000 });
    await page.goto('/docs/security');
    const text = page.locator('.docs article');
    await text.waitFor();
    await takePicture(page, 'docs-on-a-tablet');
    const links = page.getByRole('navigation', { name: 'Documentation' }).getByRole('link');
    expect(await links.count()).toBeGreaterThan(10);
    expect((await links.first().boundingBox())?.x).toBeLessThan((await text.boundingBox())?.x ?? 0);
  });
});
