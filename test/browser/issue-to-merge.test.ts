import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  fixFailingTest,
  WATCHABLE,
} from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const RUN_TIMEOUT_MS = 40_000;

// One issue goes the whole way on screen: the order matters.
describe('an issue on the dashboard', () => {
  let open: OpenDashboard;
  beforeAll(async () => {
    const pace = { ...WATCHABLE, thinkMs: 300, pauseMs: 5 };
    open = await openDashboard({ script: fixFailingTest(pace) });
  });
  afterAll(() => open?.close());
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await open.page.screenshot({ path: `/tmp/fail-${task.id}.png` });
  });

  const card = () => open.page.locator('.card').filter({ hasText: 'SY-1' });

  it('serves the same page on every path, with a policy', async () => {
    const { client } = open.bench;
    const [root, setup] = await Promise.all([client.ask('GET', '/'), client.ask('GET', '/setup')]);
    expect(setup).toMatchObject({ status: 200, body: root.body });
    expect(setup.headers.get('content-security-policy')).toContain("default-src 'none'");
    await open.page.goto('/setup');
    await open.page.getByRole('heading', { name: 'Setup', level: 1 }).waitFor();
  });

  it('is written by keyboard alone', async () => {
    const { page } = open;
    await page.goto('/');
    await page.getByText('No issues yet').waitFor();
    await page.keyboard.press('n');
    const form = page.getByRole('dialog', { name: 'New issue' });
    await form.waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('title');
    await page.keyboard.type('Durations come out wrong');
    await page.keyboard.press('Tab');
    await page.keyboard.type('formatDuration(5399) loses the rest.');
    await page.keyboard.press('Control+Enter');
    await form.waitFor({ state: 'detached' });
    await card().waitFor();
  });

  it('moves over the board by itself until it is a pull request', async () => {
    const { page } = open;
    const column = (name: string) => page.getByRole('region', { name });
    const placed = (name: string) => column(name).getByText('SY-1', { exact: true });
    await placed('In Progress').waitFor();
    await card().getByText('Running').waitFor();
    await placed('In Review').waitFor({ timeout: RUN_TIMEOUT_MS });
    await card().getByText('Completed').waitFor();
    await card().locator('.pr-link').waitFor();
  });

  it("shows the agent's commands with what they printed", async () => {
    const { page } = open;
    await card().getByRole('link', { name: 'Durations come out wrong' }).click();
    const log = page.getByRole('log');
    const command = log.getByRole('button', { name: /node --test 2>&1/ });
    await command.waitFor();
    if ((await command.getAttribute('aria-expanded')) === 'false') await command.click();
    await log.getByText(/fail 2/).first().waitFor();
    await log.getByText('src/format-duration.js').first().waitFor();
    await page.getByText('I ran node --test: all three tests pass.').first().waitFor();
  });

  it('leads to the pull request and its diff', async () => {
    const { page } = open;
    await page.getByRole('link', { name: 'Pull request', exact: true }).click();
    await page.getByText('switchyard/sy-1').first().waitFor();
    const added = page.locator('.diff .line.add').filter({ hasText: 'Math.floor(rest / seconds)' });
    await added.waitFor();
    expect(await page.locator('.diff .line.del').count()).toBe(2);
  });

  it('is merged after a question, and the issue is done', async () => {
    const { page, bench } = open;
    await page.getByRole('button', { name: 'Merge' }).click();
    const question = page.getByRole('dialog', { name: 'Merge into main?' });
    await question.getByRole('button', { name: 'Not now' }).click();
    expect((await bench.client.pullRequestOf('SY-1')).status).toBe('open');
    await page.getByRole('button', { name: 'Merge' }).click();
    await question.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Merged as').waitFor();
    await page.getByRole('link', { name: 'Board' }).first().click();
    await page.getByRole('region', { name: 'Done' }).getByText('SY-1', { exact: true }).waitFor();
    expect(await bench.repository.git('show', 'main:src/format-duration.js')).toContain(
      'Math.floor',
    );
  });

  it('left nothing in the console', () => {
    expect(open.problems).toEqual([]);
  });
});
