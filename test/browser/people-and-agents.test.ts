import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  asksQuestion,
  byPrompt,
  fixFailingTest,
  slow,
} from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const RUN_TIMEOUT_MS = 40_000;

// One page throughout, as a person would have it open.
describe('what a person does while agents work', () => {
  let open: OpenDashboard;
  beforeAll(async () => {
    const scripts = [
      { match: 'case:question', script: asksQuestion },
      { match: 'case:slow', script: slow() },
    ];
    open = await openDashboard({ script: byPrompt(scripts, fixFailingTest()) });
  });
  afterAll(() => open?.close());
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await open.page.screenshot({ path: `/tmp/fail-${task.id}.png` });
  });

  it("answers an agent's question in the inbox, and the agent goes on with it", async () => {
    const { page, bench } = open;
    await page.goto('/requests');
    await page.getByText('Nobody waits for you').waitFor();
    const { identifier } = await bench.client.createIssue({ title: 'case:question' });
    await page.getByText('Which colour should the button have?').waitFor({ timeout: RUN_TIMEOUT_MS });
    await page.getByRole('link', { name: /Requests.*1.*waiting for you/ }).waitFor();
    await page.getByRole('radio', { name: /Green/ }).check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Nobody waits for you').waitFor();
    await page.getByText('Answered, agent resumed by').waitFor();
    expect(await bench.client.settled(identifier)).toMatchObject({ status: 'completed' });
    const { branch } = await bench.client.pullRequestOf(identifier);
    expect(await bench.repository.git('show', `${branch}:colour.txt`)).toBe('Green');
  });

  it('stops a run, but only after a question', async () => {
    const { page, bench } = open;
    const { identifier } = await bench.client.createIssue({ title: 'case:slow' });
    await bench.client.commandRunning(identifier);
    await page.goto(`/issues/${identifier}`);
    await page.getByRole('log').getByText('sleep 300').first().waitFor();
    await page.getByRole('button', { name: 'Abort' }).click();
    const question = page.getByRole('dialog', { name: `Stop ${identifier} while it runs?` });
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await bench.client.issue(identifier)).toMatchObject({ status: 'running' });
    await page.getByRole('button', { name: 'Abort' }).click();
    await question.getByRole('button', { name: 'Stop it' }).click();
    await page.getByText(/aborted by /i).first().waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await bench.client.settled(identifier)).toMatchObject({ status: 'cancelled' });
  });

  it('left nothing in the console', () => {
    expect(open.problems).toEqual([]);
  });
});
