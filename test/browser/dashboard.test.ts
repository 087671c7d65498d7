import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/scripted-provider/ready-scripts.ts';
import { asksQuestion, byPrompt } from '../support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import {
  hostileAgent,
  hostileDescription,
  hostileMarkdown,
  hostileMarkup,
  hostileTitle,
  plainOutput,
} from '../support/browser/hostile-content.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { expectHarmless, shownOutput } from '../support/browser/shown-output.ts';
import { typeWhenFocused } from '../support/browser/type-when-focused.ts';
import { until } from '../support/e2e/until.ts';

const RUN_TIMEOUT_MS = 90_000;
const START_TIMEOUT_MS = 180_000;

/** Leaves a file behind and then takes longer than anybody waits. */
const unfinished: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0 ? exec('echo half > half.txt; sleep 300', 30_000) : say('I waited.');

// One service and one open page, as a person would have them: the order matters.
describe('the dashboard', () => {
  let open: OpenDashboard;
  let page: Page;
  /** The first agent does nothing before the page has shown that it is at work. */
  const seenRunning = Promise.withResolvers<void>();
  beforeAll(async () => {
    const scripts = [
      { match: 'case:question', script: asksQuestion },
      { match: 'case:unfinished', script: unfinished },
      { match: 'case:hostile', script: hostileAgent },
    ];
    const script = byPrompt(scripts, fixFailingTest({ thinkMs: 250, pauseMs: 5 }));
    open = await openDashboard({
      script: async (request) => {
        await seenRunning.promise;
        return script(request);
      },
    });
    ({ page } = open);
  }, START_TIMEOUT_MS);
  afterAll(() => open?.close());

  const outputOf = (command: RegExp, contains: string) => shownOutput(page, command, contains);

  describe('takes an issue to a merged pull request', () => {
    const card = () => page.locator('.card').filter({ hasText: 'SY-1' });
    const inColumn = (name: string) =>
      page.getByRole('region', { name }).getByText('SY-1', { exact: true });

    it('is the same page on every path, with a policy', async () => {
      const { client } = open.bench;
      const [root, setup] = await Promise.all([
        client.ask('GET', '/'),
        client.ask('GET', '/setup'),
      ]);
      expect(setup).toMatchObject({ status: 200, body: root.body });
      expect(setup.headers.get('content-security-policy')).toContain("default-src 'none'");
      await page.goto('/setup');
      await page.getByRole('heading', { name: 'Setup', level: 1 }).waitFor();
    });

    it('writes an issue by keyboard alone', async () => {
      await page.goto('/board');
      await page.getByText('No issues yet').waitFor();
      await page.keyboard.press('n');
      const form = page.getByRole('dialog', { name: 'New issue' });
      await form.waitFor();
      await page.locator('[name=title]:focus').waitFor();
      await typeWhenFocused(page, 'Durations come out wrong');
      await page.keyboard.press('Tab');
      await page.keyboard.type('formatDuration(5399) loses the rest.');
      await page.keyboard.press('Control+Enter');
      await form.waitFor({ state: 'detached' });
      await card().waitFor();
    });

    it('moves it over the board until it is a pull request', async () => {
      await inColumn('In Progress').waitFor();
      await card().getByText('Running').waitFor();
      seenRunning.resolve();
      await inColumn('In Review').waitFor({ timeout: RUN_TIMEOUT_MS });
      await card().getByText('Review', { exact: true }).waitFor();
      expect(await card().locator('.pr-link').textContent()).toContain('PR');
    });

    it("shows the agent's commands with what they printed, and what it said", async () => {
      await card().getByRole('link', { name: 'Durations come out wrong' }).click();
      expect(await outputOf(/node --test 2>&1/, 'ERR_ASSERTION')).toContain("'1 h 29 min 59 s'");
      await page.getByRole('button', { name: 'Jump to end' }).click();
      const said = page.getByRole('log').locator('.item-message').last();
      await said.getByRole('listitem').first().waitFor();
      expect(await said.locator('code').first().textContent()).toBe('formatDuration');
    });

    it('shows what was saved on the way', async () => {
      const side = page.getByRole('complementary', { name: 'About this issue' });
      await side.getByText('Saved before delivery').waitFor();
      await page.getByRole('link', { name: 'Changes' }).click();
      const changes = page.getByRole('region', { name: 'Changes' });
      await changes.locator('.diff-path').getByText('src/format-duration.js').waitFor();
      await changes.getByText('As submitted in the pull request.').waitFor();
      expect(await changes.getByRole('button', { name: 'Deliver as draft' }).count()).toBe(0);
    });

    it('leads to the pull request and its diff', async () => {
      await page.getByRole('link', { name: 'Pull request', exact: true }).click();
      // The page before shows the same change until this one is there.
      await page.getByRole('link', { name: 'Back to the pull requests' }).waitFor();
      const added = page.locator('.diff .line.add').filter({ hasText: 'Math.floor(rest' });
      await added.waitFor();
      const removed = page.locator('.diff .line.del');
      await expect.poll(() => removed.count()).toBe(2);
      const about = page.getByRole('region', { name: 'Description' });
      await about.locator('code').filter({ hasText: 'Math.floor' }).waitFor();
    });

    it('merges it after a question, and the issue is done', async () => {
      const { client, repository } = open.bench;
      const question = page.getByRole('dialog', { name: 'Merge into main?' });
      await page.getByRole('button', { name: 'Merge' }).click();
      await question.getByRole('button', { name: 'Cancel' }).click();
      expect((await client.pullRequestOf('SY-1')).status).toBe('open');
      await page.getByRole('button', { name: 'Merge' }).click();
      await question.getByRole('button', { name: 'Merge' }).click();
      await page.getByText('Merged as').waitFor();
      await page.getByRole('link', { name: 'Board', exact: true }).click();
      await inColumn('Done').waitFor();
      const code = await repository.git('show', 'main:src/format-duration.js');
      expect(code).toContain('Math.floor');
    });
  });

  describe('lets a person decide while agents work', () => {
    it("answers an agent's question in the inbox, and the agent goes on with it", async () => {
      const { client, repository } = open.bench;
      await page.goto('/requests');
      await page.getByText('No open questions').waitFor();
      const { identifier } = await client.createIssue({ title: 'case:question' });
      const question = page.getByText('Which colour should the button have?');
      await question.waitFor({ timeout: RUN_TIMEOUT_MS });
      await page.getByRole('link', { name: /Inbox.*1.*waiting for you/ }).waitFor();
      await page.getByRole('radio', { name: /Green/ }).check();
      await page.getByRole('button', { name: 'Send answer' }).click();
      await page.getByText('No open questions').waitFor();
      await page.getByText('agent resumed').waitFor();
      expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
      const { branch } = await client.pullRequestOf(identifier);
      expect(await repository.git('show', `${branch}:colour.txt`)).toBe('Green');
    });

    it('stops a run after a question, and delivers what it left as a draft', async () => {
      const { client, repository } = open.bench;
      const { identifier } = await client.createIssue({ title: 'case:unfinished' });
      await client.commandRunning(identifier);
      await page.goto(`/issues/${identifier}`);
      await page.getByRole('log').getByText('sleep 300').first().waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      const question = page.getByRole('dialog', { name: `Stop ${identifier}?` });
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await client.issue(identifier)).toMatchObject({ status: 'running' });
      await page.getByRole('button', { name: 'Stop' }).click();
      await question.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Stopped by you').first().waitFor();
      await page.getByRole('button', { name: 'Retry' }).waitFor();
      await page.getByRole('link', { name: 'Changes' }).click();
      await page.locator('.diff .line.add').filter({ hasText: 'half' }).waitFor();
      await page.getByRole('button', { name: 'Deliver as draft' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Deliver as draft' }).click();
      await page.locator('.pr-about').getByText('Draft', { exact: true }).waitFor();
      const { branch, draft } = await client.pullRequestOf(identifier);
      expect(draft).toBe(true);
      expect(await repository.git('show', `${branch}:half.txt`)).toBe('half');
    });

    it('pauses everything with a reason on every page, and resumes', async () => {
      const { client } = open.bench;
      await page.getByRole('button', { name: 'Pause all work' }).click();
      const form = page.getByRole('dialog', { name: 'Pause all work?' });
      await form.getByLabel('Reason').fill('Moving house');
      await form.getByRole('button', { name: 'Pause' }).click();
      await form.waitFor({ state: 'detached' });
      await page.goto('/runners');
      await page.locator('.banner').filter({ hasText: 'Moving house' }).waitFor();
      const state = await client.must<{ paused: { reason: string } }>('GET', '/state');
      expect(state.paused).toMatchObject({ reason: 'Moving house' });
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Pause all work' }).waitFor();
      expect(await client.must('GET', '/state')).toMatchObject({ paused: null });
    });
  });

  describe('shows what strangers and agents write harmlessly', () => {
    let identifier: string;
    beforeAll(async () => {
      const { client } = open.bench;
      const labels = [hostileMarkup.slice(0, 60)];
      const issue = { title: hostileTitle, description: hostileDescription, labels };
      ({ identifier } = await client.createIssue(issue));
      await client.comment(identifier, hostileMarkdown);
      expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    });

    const harmless = () => expectHarmless(page, open.problems);

    it('on the board', async () => {
      await page.goto('/board');
      const title = page.locator('.card h3').filter({ hasText: 'case:hostile' });
      await title.waitFor();
      expect(await title.textContent()).toBe(hostileTitle);
      await harmless();
    });

    it('in the log, without what a terminal would obey', async () => {
      await page.goto(`/issues/${identifier}`);
      const text = await outputOf(/base64 -d/, 'red');
      expect(text.trim()).toBe(plainOutput);
      expect(await page.locator('.text-block .ansi-red').first().textContent()).toBe('red');
      expect((await outputOf(/dev\/zero/, 'xxxxx')).length).toBeLessThan(60_000);
      await harmless();
    });

    it('in comments, with their formatting and without their links', async () => {
      const comment = page.locator('.comments li:not(.by-service)').first();
      await comment
        .locator('strong')
        .filter({ hasText: /^bold$/ })
        .waitFor();
      const links = comment.getByRole('link');
      expect(await links.allTextContents()).toEqual(['pixel']);
      expect(await comment.textContent()).toContain(hostileMarkup);
      expect(await comment.textContent()).toContain('only agents read this');
      expect(await comment.textContent()).toContain('nor would people see this');
      await harmless();
    });

    it('in a pull request', async () => {
      const pullRequest = await open.bench.client.pullRequestOf(identifier);
      await page.goto(`/pull-requests/${pullRequest.id}`);
      await page.getByText('note.txt').first().waitFor();
      // A tag of mere layout is a blank there.
      const shown = hostileMarkup.replace('</b>', '');
      expect(await page.locator('.pr-body').textContent()).toContain(shown);
      await harmless();
    });
  });

  it('left nothing in the console, and the stream is live to the end', async () => {
    const live = () => page.getByText('Live', { exact: true }).count();
    await until(live, (count) => count === 1, { what: 'a live page', timeoutMs: 45_000 });
    expect(open.problems).toEqual([]);
  });
});
