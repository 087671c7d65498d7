import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';
import type { Issues } from './work.ts';

const RUN_TIMEOUT_MS = 90_000;
const MANY_LINES = 100_000;

/** One of many events that each are a line of the log. */
function lineEvent(seq: number) {
  const item = { type: 'message', text: `line ${seq}` };
  const payload = { itemId: `i${seq}`, state: 'ended', item };
  const data = { attemptId: 'a', epoch: 1, kind: 'item', payload };
  return { seq, type: 'attempt.event', at: new Date(1_700_000_000_000 + seq).toISOString(), data };
}

/** What is dragged or clicked without a control of its own. */
export function mouseWays(stage: Stage, issues: () => Issues): void {
  const card = (identifier: string) => stage.page.locator('.card').filter({ hasText: identifier });
  const column = (name: string) => stage.page.getByRole('region', { name, exact: true });

  it('asks before a card is dragged away from a running agent', async () => {
    const { hands, client } = stage;
    const { listening } = issues();
    await hands.goTo('Board');
    await card(listening).dragTo(column('Backlog'));
    const question = stage.dialog(`Move ${listening} to Backlog?`);
    await hands.activate(question.getByRole('button', { name: 'Cancel' }));
    await column('In Progress').getByText(listening, { exact: true }).waitFor();
    expect((await client.issue(listening)).status).toBe('running');
  });

  it('asks also when the page does not know yet that an agent has begun', async () => {
    const { page, hands, client } = stage;
    const { identifier } = await client.createIssue({ title: 'case:listen', state: 'Backlog' });
    await column('Backlog').getByText(identifier, { exact: true }).waitFor();
    // From here on the page is told what was so before.
    const lists = ['/state', '/local/issues?limit=500'];
    for (const list of lists) {
      const json = await client.must('GET', list);
      await page.route(`**/api/v1${list.split('?')[0]}*`, (route) => route.fulfill({ json }));
    }
    await client.must('POST', `/${identifier}/transition`, { to: 'Todo' });
    await client.commandRunning(identifier);
    const drag = () => card(identifier).dragTo(column('Canceled'));
    await drag();
    const question = stage.dialog(`Move ${identifier} to Canceled?`);
    await stage.settle(question, 'Cancel');
    await column('Backlog').getByText(identifier, { exact: true }).waitFor();
    expect((await client.issue(identifier)).status).toBe('running');
    await drag();
    await hands.activate(question.getByRole('button', { name: 'Move and stop' }));
    await client.issueUntil(
      identifier,
      ({ status, state }) => status !== 'running' && state === 'Canceled',
      'is stopped and moved',
    );
    await page.unroute('**/api/v1/state*');
    await page.unroute('**/api/v1/local/issues*');
    await stage.load('/board');
    await column('Canceled').getByText(identifier, { exact: true }).waitFor();
  });

  it('puts a card back when the service refuses the move', async () => {
    const { page, open } = stage;
    const { fixed } = issues();
    await page.route('**/transition', (route) =>
      route.fulfill({ status: 422, json: { error: 'No such way', status: 422 } }),
    );
    await card(fixed).dragTo(column('Done'));
    await page.getByText(`${fixed}: No such way`).waitFor();
    await column('In Review').getByText(fixed, { exact: true }).waitFor();
    await page.unroute('**/transition');
    open.problems.splice(0);
  });

  it('moves a card to where it is dropped', async () => {
    const { client } = stage;
    const { idle } = issues();
    await card(idle).dragTo(column('Canceled'));
    await column('Canceled').getByText(idle, { exact: true }).waitFor();
    await expect.poll(async () => (await client.issue(idle)).state).toBe('Canceled');
  });

  it('links to a line of the log', async () => {
    const { page, hands } = stage;
    await hands.openIssue(issues().fixed);
    const line = page.getByRole('log').locator('.log-row').filter({ hasText: 'node --test 2>&1' });
    await hands.activate(line.first().locator('.log-time'));
    await page.waitForURL(/line=item/);
    await page.reload();
    await page.locator('.log-slot.current').getByText('node --test 2>&1').waitFor();
  });

  it('shows what the agent is writing while it writes', async () => {
    const { hands, client } = stage;
    const { identifier } = await client.createIssue({ title: 'case:talks' });
    await hands.openIssue(identifier);
    const writing = stage.page.getByRole('group', { name: 'Live output' });
    await writing.getByText('Once upon a time').waitFor({ timeout: RUN_TIMEOUT_MS });
    await stage.inspect();
    await client.must('POST', `/${identifier}/abort`);
    await writing.waitFor({ state: 'detached' });
  });

  it('stays quick with 100,000 lines', async () => {
    const { page, hands } = stage;
    const pageSize = 20_000;
    await page.route('**/api/v1/attempts/*?*', (route) => {
      const after = Number(new URL(route.request().url()).searchParams.get('after'));
      const count = after >= MANY_LINES ? 0 : pageSize;
      const events = Array.from({ length: count }, (_, position) =>
        lineEvent(after + position + 1),
      );
      return route.fulfill({ json: { events } });
    });
    await stage.load(`/issues/${issues().fixed}`);
    const log = page.getByRole('log');
    await log.getByText('line 100000', { exact: true }).waitFor({ timeout: RUN_TIMEOUT_MS });
    expect(await page.locator('.log-slot').count()).toBeLessThan(150);
    await hands.type(page.getByRole('searchbox', { name: 'Find in log' }), 'line 54321');
    await page.keyboard.press('Enter');
    await page.locator('.log-slot.current').getByText('line 54321', { exact: true }).waitFor();
    await hands.activate(stage.button(/Jump to end|new$/));
    await log.getByText('line 100000', { exact: true }).waitFor();
    await page.unroute('**/api/v1/attempts/*?*');
    await stage.load('/');
  });
}
