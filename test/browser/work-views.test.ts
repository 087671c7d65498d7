import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asksQuestion,
  byPrompt,
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/src/platform/node/demo/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/src/platform/node/demo/scripted-provider/step.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { pressChord } from '../support/browser/press-chord.ts';
import { typeWhenFocused } from '../support/browser/type-when-focused.ts';

const RUN_TIMEOUT_MS = 90_000;

/** Goes on for longer than anybody waits, a command after the other. */
const listens: ReadyScript = ({ stepIndex }) => {
  if (stepIndex > 20) return say('I waited.');
  return exec(`sleep 300; echo ${stepIndex}`, 30_000);
};

/** Writes for longer than anybody reads, word by word. */
const talks: ReadyScript = () => ({
  ...say('Once upon a time there was a yard. '.repeat(400)),
  pauseMs: 300,
});

/** One of many events that each are a line of the log. */
function manyLines(seq: number) {
  const item = { type: 'message', text: `line ${seq}` };
  const payload = { itemId: `i${seq}`, state: 'ended', item };
  const data = { attemptId: 'a', epoch: 1, kind: 'item', payload };
  return { seq, type: 'attempt.event', at: new Date(1_700_000_000_000 + seq).toISOString(), data };
}

// One service and one page for all: overview, board, inspector, feed and comparison, by keyboard.
describe('the views of the work', () => {
  let open: OpenDashboard;
  let page: Page;
  let fixed = '';
  let listening = '';
  let idle = '';
  beforeAll(async () => {
    const scripts = [
      { match: 'case:question', script: asksQuestion },
      { match: 'case:listen', script: listens },
      { match: 'case:talks', script: talks },
    ];
    open = await openDashboard({
      script: byPrompt(scripts, fixFailingTest()),
      slots: 2,
      config: { 'agent.retryBaseMs': 200 },
    });
    ({ page } = open);
    const { client } = open.bench;
    fixed = (await client.createIssue({ title: 'Durations come out wrong' })).identifier;
    expect(await client.settled(fixed)).toMatchObject({ status: 'completed' });
    listening = (await client.createIssue({ title: 'case:listen' })).identifier;
    await client.commandRunning(listening);
    idle = (await client.createIssue({ title: 'Nobody starts this', state: 'Backlog' })).identifier;
  }, 180_000);
  afterAll(() => open?.close());

  const card = (identifier: string) => page.locator('.card').filter({ hasText: identifier });
  const inColumn = (column: string, identifier: string) =>
    page.getByRole('region', { name: column, exact: true }).getByText(identifier, { exact: true });
  const focused = () =>
    page.evaluate<string | null>('document.activeElement?.dataset?.identifier ?? null');

  describe('the overview', () => {
    it('says what runs, what is done and how all fares', async () => {
      await page.goto('/');
      const running = page.getByRole('region', { name: /^Running/ });
      await running.getByText('case:listen').waitFor();
      await running.getByText('agent at work').waitFor();
      const finished = page.getByRole('region', { name: 'Finished lately' });
      await finished.getByText('Durations come out wrong').waitFor();
      await page.getByText('Nothing waits for a person.').waitFor();
      await page
        .getByRole('region', { name: /^Health/ })
        .getByText('1 of 1 connected')
        .waitFor();
      await page.getByText('1 attempt completed, 0 failed in 14 days').first().waitFor();
      await page.locator('.day-chart canvas').nth(1).waitFor();
      await expectAccessible(page);
    });

    it('brings to the front what needs a person', async () => {
      const { client } = open.bench;
      const { identifier } = await client.createIssue({ title: 'case:question' });
      const needs = page.getByRole('region', { name: /^Needs you/ });
      await needs
        .getByText('Which colour should the button have?')
        .waitFor({ timeout: RUN_TIMEOUT_MS });
      await needs.getByRole('link', { name: 'Answer' }).waitFor();
      await client.must('POST', `/${identifier}/abort`);
      await page.getByText('Nothing waits for a person.').waitFor();
    });
  });

  describe('by keyboard alone', () => {
    it('goes everywhere with two letters, and lists the keys', async () => {
      await page.goto('/');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await pressChord(page, 'g', 'f');
      await page.getByRole('heading', { name: 'Live feed', level: 1 }).waitFor();
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keys' });
      await help.getByText('Go to Board').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
    });

    it('finds an issue in the palette', async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
      await typeWhenFocused(page, 'durations');
      await page.getByRole('option', { name: /Durations come out wrong/ }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Durations come out wrong' }).waitFor();
    });

    it('moves over the board, selects and moves an issue', async () => {
      await pressChord(page, 'g', 'b');
      // All columns, whichever comes last: keys move among the cards that are there.
      await page.getByRole('region', { name: 'Backlog', exact: true }).getByText(idle).waitFor();
      await card(listening).waitFor();
      await page.keyboard.press('j');
      const first = await focused();
      expect(first).not.toBe(null);
      await page.keyboard.press('l');
      expect(await focused()).toBe(listening);
      await page.keyboard.press('h');
      expect(await focused()).toBe(first);
      await page.keyboard.press('x');
      await page
        .getByRole('toolbar', { name: 'Selected issues' })
        .getByText('1 selected')
        .waitFor();
      await page.keyboard.press('m');
      const move = page.getByRole('dialog', { name: `Move ${first} to` });
      await move.getByRole('button', { name: 'Canceled' }).press('Enter');
      await move.waitFor({ state: 'detached' });
      await inColumn('Canceled', first ?? '').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('toolbar', { name: 'Selected issues' }).waitFor({ state: 'detached' });
    });

    it('filters by words and shows more at once', async () => {
      await page.keyboard.press('/');
      await typeWhenFocused(page, 'durations');
      await card(listening).waitFor({ state: 'detached' });
      expect(page.url()).toContain('q=durations');
      await page.getByRole('searchbox', { name: 'Filter issues' }).fill('');
      await card(listening).waitFor();
      await page.getByRole('button', { name: 'Compact' }).click();
      await page.locator('.columns.dense').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Compact' }).click();
    });
  });

  describe('the board by mouse', () => {
    it('asks before a card is dragged away from a running agent', async () => {
      await page.goto('/board');
      await card(listening).dragTo(page.getByRole('region', { name: 'Backlog', exact: true }));
      const question = page.getByRole('dialog', { name: `Move ${listening} to Backlog?` });
      await question.getByRole('button', { name: 'Not now' }).click();
      await inColumn('In Progress', listening).waitFor();
      expect((await open.bench.client.issue(listening)).status).toBe('running');
    });

    it('puts a card back when the service refuses the move', async () => {
      await page.route('**/transition', (route) =>
        route.fulfill({ status: 422, json: { error: 'No such way', status: 422 } }),
      );
      await card(fixed).dragTo(page.getByRole('region', { name: 'Done', exact: true }));
      await page.getByText(`${fixed}: No such way`).waitFor();
      await inColumn('In Review', fixed).waitFor();
      await page.unroute('**/transition');
      open.problems.splice(0);
    });
  });

  describe('the inspector', () => {
    it('finds in the log, filters it and links to a line', async () => {
      await page.goto(`/issues/${fixed}`);
      const log = page.getByRole('log');
      await log.getByText('Ended', { exact: true }).waitFor();
      await page.keyboard.press('/');
      await typeWhenFocused(page, 'err_assertion');
      await page.getByText(/^0 of \d+$/).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText(/^1 of \d+$/).waitFor();
      await page.locator('.log-slot.current').getByText('ERR_ASSERTION').first().waitFor();
      await page.getByRole('combobox', { name: 'Show in log' }).selectOption('changes');
      await log.getByText('Math.floor').first().waitFor();
      expect(await log.locator('.item-command').count()).toBe(0);
      await page.getByRole('combobox', { name: 'Show in log' }).selectOption('all');
      await log
        .getByRole('button', { name: /node --test 2>&1/ })
        .first()
        .waitFor();
      await log
        .locator('.log-row')
        .filter({ hasText: 'node --test 2>&1' })
        .locator('.log-time')
        .click();
      await page.waitForURL(/line=item/);
      await page.reload();
      await page.locator('.log-slot.current').getByText('node --test 2>&1').waitFor();
      await expectAccessible(page);
    });

    it('steers the agent while it works', async () => {
      await page.goto(`/issues/${listening}`);
      await page.getByRole('log').getByText('sleep 300').first().waitFor();
      await page.keyboard.press('s');
      await typeWhenFocused(page, 'Hurry up');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText(/The agent has heard it|Stored; the agent hears it/).waitFor();
    });

    it('shows what the agent is writing while it writes', async () => {
      const { client } = open.bench;
      const { identifier } = await client.createIssue({ title: 'case:talks' });
      await page.goto(`/issues/${identifier}`);
      const writing = page.getByRole('group', { name: 'Being written now' });
      await writing.getByText('Once upon a time').waitFor({ timeout: RUN_TIMEOUT_MS });
      await expectAccessible(page);
      await client.must('POST', `/${identifier}/abort`);
      await writing.waitFor({ state: 'detached' });
    });

    it('shows what an attempt did when', async () => {
      await page.goto(`/issues/${fixed}`);
      await page.getByRole('heading', { name: 'Durations come out wrong' }).waitFor();
      await page.keyboard.press('3');
      const lanes = page.getByRole('region', { name: 'Timeline' });
      await lanes.getByText('turn 1').waitFor();
      await lanes.locator('.lane-delivery').nth(1).waitFor();
      await expectAccessible(page);
    });

    it('sends comments on lines as one message, and an attempt begins with them', async () => {
      await page.keyboard.press('2');
      const changes = page.getByRole('region', { name: 'Changes' });
      await changes
        .getByRole('button', { name: /^Comment line 11 of/ })
        .first()
        .click();
      await page.getByRole('textbox', { name: 'Comment on this line' }).fill('Is floor right?');
      await page.getByRole('button', { name: 'Add comment' }).click();
      await changes.getByText('Is floor right?').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Send and retry' }).click();
      await page.getByText('Commented; an agent takes it up again.').waitFor();
      const comment = page.locator('.comments').getByText(/format-duration\.js:11|removed line 11/);
      await comment.first().waitFor();
    });

    it('compares two attempts', async () => {
      const { client } = open.bench;
      const again = await client.issueUntil(
        fixed,
        (issue) => issue.attempts.length > 1,
        'gets a second attempt',
      );
      expect(again.attempts.length).toBe(2);
      await client.settled(fixed);
      await page.goto(`/issues/${fixed}/compare`);
      await page.getByRole('region', { name: 'Differences' }).getByText('Tokens').waitFor();
      await page
        .getByRole('region', { name: 'Steps of attempt 1' })
        .getByText('$ ')
        .first()
        .waitFor();
      await expectAccessible(page);
    });

    it('chooses a model for the next attempt', async () => {
      await page.goto(`/issues/${fixed}`);
      await page.getByRole('button', { name: 'Model' }).click();
      const form = page.getByRole('dialog', { name: `Model and template of ${fixed}` });
      await form.getByLabel('Model').fill('another-model');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.waitFor({ state: 'detached' });
      expect((await open.bench.client.issue(fixed)).model).toBe('another-model');
    });
  });

  it('stays quick with 100,000 lines', async () => {
    const pageSize = 20_000;
    await page.route('**/api/v1/attempts/*?*', (route) => {
      const after = Number(new URL(route.request().url()).searchParams.get('after'));
      const count = after >= 100_000 ? 0 : pageSize;
      const events = Array.from({ length: count }, (_, position) =>
        manyLines(after + position + 1),
      );
      return route.fulfill({ json: { events } });
    });
    await page.goto(`/issues/${fixed}`);
    const log = page.getByRole('log');
    await log.getByText('line 100000', { exact: true }).waitFor({ timeout: RUN_TIMEOUT_MS });
    expect(await page.locator('.log-slot').count()).toBeLessThan(150);
    await page.getByRole('searchbox', { name: 'Find in log' }).fill('line 54321');
    await page.keyboard.press('Enter');
    await page.locator('.log-slot.current').getByText('line 54321', { exact: true }).waitFor();
    await page.getByRole('button', { name: /To the end|new$/ }).click();
    await log.getByText('line 100000', { exact: true }).waitFor();
    await page.unroute('**/api/v1/attempts/*?*');
  });

  it('tells in the feed what happened, and holds still on request', async () => {
    await page.goto('/feed');
    const feed = page.getByRole('list', { name: 'Events, newest first' });
    await feed.getByText('pull request opened').first().waitFor();
    await page.getByRole('button', { name: 'Hold' }).click();
    await open.bench.client.createIssue({ title: 'After the hold', state: 'Backlog' });
    await page.getByRole('button', { name: /^Go on, \d+ new$/ }).click();
    await page.getByRole('tab', { name: 'Runners' }).click();
    await feed.getByText('runner connected').first().waitFor();
    await expectAccessible(page);
  });

  it('fits a phone, in the dark too', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const path of ['/', '/board', `/issues/${fixed}`, '/feed']) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(await page.evaluate<number>(overhang), path).toBeLessThanOrEqual(0);
      await expectAccessible(page);
    }
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog', { name: 'All views' }).getByText('Runners').click();
    await page.getByRole('heading', { name: 'Runners', level: 1 }).waitFor();
  });

  it('left nothing in the console', () => {
    expect(open.problems).toEqual([]);
  });
});
