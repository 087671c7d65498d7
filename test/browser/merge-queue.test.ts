import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { MergeQueue, MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { hostileTitle } from '../support/browser/hostile-content.ts';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { expectHarmless } from '../support/browser/shown-output.ts';
import { Stage } from '../support/browser/stage.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
/** Checks of which one never ends while a test is watched, and one that passes. */
const SLOW = { name: 'test', command: 'sleep 600' };
const QUICK = { name: 'test', command: 'node --test' };
const OVERHANG = `[...document.querySelectorAll('.merge-rows, .merge-panel, dialog[open]')]
  .filter((one) => one.scrollWidth > one.clientWidth).length`;

describe('the merge queue', () => {
  const stage = new Stage(mouseHands);
  let first: PullRequest;
  let second: PullRequest;
  const panel = () => stage.region('Merge queue');
  const row = ({ number }: Pick<PullRequest, 'number'>) => stage.row(`#${number} `);
  const mergeNow = () => stage.page.getByRole('button', { name: 'Merge', exact: true });
  const load = ({ id }: PullRequest) => stage.load(`/pull-requests/${id}`);

  beforeAll(async () => {
    await stage.begin({ script: fixFailingTest(), mayRefuse: true });
    const { client } = stage;
    const deliver = async (title: string) => {
      const { identifier } = await client.createIssue({ title });
      expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
      return client.pullRequestOf(identifier);
    };
    first = await deliver('Durations come out wrong');
    second = await deliver('Durations are still wrong');
  }, START_TIMEOUT_MS);
  afterAll(() => stage.end());

  async function routes(): Promise<RepoRoute[]> {
    const answer = await stage.client.must<{ routes: RepoRoute[] }>('GET', '/setup/repo-routes');
    return answer.routes;
  }

  async function declare(part: Partial<RepoRoute>): Promise<void> {
    const [route] = (await routes()) as [RepoRoute];
    await stage.client.must('PUT', '/setup/repo-route/0', { ...route, ...part });
  }

  async function openForm() {
    await stage.load('/repositories');
    await stage.button(/^Merge of /).click();
    return stage.dialog('Merge of');
  }

  it('is not on the page of a pull request that people merge', async () => {
    const { page } = stage;
    await load(first);
    await mergeNow().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await panel().count()).toBe(0);
    await mergeNow().click();
    const question = stage.dialog('Merge into main?');
    expect(await question.textContent()).not.toContain('without a test');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await stage.load('/merge-queue');
    await page.getByText('No pull requests in the merge queue').waitFor();
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
    await takePicture(page, 'merge-queue-empty');
    await page.getByRole('main').getByRole('link', { name: 'Repositories' }).click();
    await page.waitForURL((url) => url.pathname === '/repositories');
  });

  it('is chosen in a form that says what is wrong', async () => {
    const { page } = stage;
    const dialog = await openForm();
    const mode = dialog.getByLabel('Who merges');
    const lines = dialog.getByLabel('Changed lines at most');
    const save = dialog.getByRole('button', { name: 'Save' });
    expect(await mode.inputValue()).toBe('never');
    expect(await lines.count()).toBe(0);
    await mode.selectOption('when-green');
    await dialog.getByText('declares no checks').waitFor();
    await lines.fill('0');
    await dialog.getByLabel('Only within the scope').check();
    await save.click();
    await dialog.getByText('A whole number from 1 to 1,000,000.').waitFor();
    expect(await lines.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
    await takePicture(page, 'merge-policy-refused');
    await lines.fill('400');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('by itself, up to 400 changed lines, within its scope').waitFor();
    expect((await routes())[0]?.merge).toEqual({
      mode: 'when-green',
      max_changed_lines: 400,
      within_scope: true,
    });
    await (await openForm()).getByLabel('Who merges').selectOption('ask');
    await stage.settle(stage.dialog('Merge of'), 'Save');
    await page.getByText('Merge queue: when a person asks').waitFor();
    expect((await routes())[0]?.merge).toEqual({ mode: 'ask' });
  });

  it('says what a repository lacks', async () => {
    await load(first);
    await panel().getByText('declares no checks').waitFor();
    expect(await stage.button('Queue for merge').count()).toBe(0);
    await expectAccessible(stage.page);
    await panel().getByRole('link', { name: 'Declare checks' }).waitFor();
    await declare({ checks: [SLOW] });
    await stage.button('Queue for merge').waitFor();
    await stage.inspect();
    await takePicture(stage.page, 'merge-ask');
    await mergeNow().click();
    const question = stage.dialog('Merge into main?');
    await question.getByText('without a test of the merge').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
  });

  it('is entered on the page of the pull request, and followed without a reload', async () => {
    const { page, hands } = stage;
    await load(first);
    await hands.activate(stage.button('Queue for merge'));
    await stage.said(`#${first.number} is in the merge queue.`);
    await panel().getByText('Testing').waitFor();
    await panel().getByText('Queued by you').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'merge-testing');
    await hands.goTo('Merge queue');
    await row(first).getByText('Testing').waitFor();
    await stage.client.must('POST', `/merge-queue/${second.id}/enter`);
    await row(second).getByText('Waiting, next in line').waitFor();
    await page.getByText(`#${first.number} is tested, 1 waits`).waitFor();
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
    await takePicture(page, 'merge-queue');
    await row(first)
      .getByRole('link', { name: /merge test/ })
      .click();
    await page.waitForURL((url) => url.pathname === `/issues/${first.issueIdentifier}`);
    const attempt = page.getByRole('region', { name: 'Attempt 2', exact: true });
    await attempt.getByText('Merge test', { exact: true }).waitFor();
    expect(await attempt.locator('.attempt-head').textContent()).not.toMatch(/codex|tok/);
    // Nobody reads messages where no agent works.
    expect(await page.getByRole('radio', { name: /agent/i }).count()).toBe(0);
    await takePicture(page, 'merge-test');
  });

  it('is left after a question, by the keyboard too, and entered again', async () => {
    const { page } = stage;
    const keys = keyboardHands(page);
    await stage.load('/merge-queue');
    const leave = (of: PullRequest) =>
      row(of).getByRole('button', { name: 'Take out of the queue' });
    await leave(first).click();
    const question = stage.dialog(`Take #${first.number} out`);
    await question.getByText('Its merge test stops.').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await row(first).getByText('Testing').waitFor();
    await keys.activate(leave(first));
    await keys.activate(question.getByRole('button', { name: 'Take out', exact: true }));
    await question.waitFor({ state: 'detached' });
    await row(first).getByText('Held').waitFor();
    await row(first).getByText('taken out').first().waitFor();
    await row(second).getByText('Testing').waitFor();
    await stage.hands.activate(leave(second));
    await stage.settle(stage.dialog(`Take #${second.number} out`), 'Take out');
    await row(second).getByText('Held').waitFor();
    await takePicture(page, 'merge-held');
    await declare({ checks: [QUICK] });
    await keys.activate(row(first).getByRole('button', { name: 'Queue again' }));
    await row(first).waitFor({ state: 'detached' });
    await load(first);
    await page.getByText('Merged as').waitFor();
    expect(await panel().count()).toBe(0);
    await stage.load('/feed?area=people');
    await page.getByText('merge test started').first().waitFor();
    await page.getByText('left the merge queue').first().waitFor();
  });

  it('fits a phone, in the dark too, whatever its pull requests are called', async () => {
    const { page, client } = stage;
    const { entries } = await client.must<MergeQueue>('GET', '/merge-queue');
    const [held] = entries as [MergeQueueEntry];
    const long = `Write ${'every-file'.repeat(40)}`;
    const base = 'release/'.repeat(20);
    const states = ['testing', 'waiting', 'returned', 'held'] as const;
    const shown = [held.base, base].flatMap((branch) =>
      states.map((state, position) => ({
        ...held,
        state,
        base: branch,
        pullRequestId: `${branch}${state}`,
        number: position + 100,
        position: state === 'waiting' ? 1 : null,
        title: state === 'testing' ? hostileTitle : long,
        reason: `${hostileTitle} ${long}`,
        enteredBy: long,
      })),
    );
    await page.route('**/api/v1/merge-queue', (route) =>
      route.fulfill({ json: { entries: shown } }),
    );
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await stage.load('/merge-queue');
        await page.getByText('Sent back to the agent').first().waitFor();
        await expectHarmless(page, stage.open.problems);
        expect(await page.evaluate(OVERHANG)).toBe(0);
        await expectAccessible(page, colorScheme);
        await takePicture(page, `merge-queue-hostile-${size.width}-${colorScheme}`);
      }
    }
    await page.unrouteAll({ behavior: 'wait' });
    await load(second);
    await panel().getByText('Held').waitFor();
    expect(await page.evaluate(OVERHANG)).toBe(0);
    await expectAccessible(page);
    await takePicture(page, 'merge-panel-phone');
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('says when it cannot be read, and why it was not entered', async () => {
    const { page } = stage;
    let isAway = true;
    await page.route('**/api/v1/merge-queue', (route) =>
      isAway
        ? route.fulfill({ status: 400, json: { error: 'Not at this moment.' } })
        : route.fallback(),
    );
    await stage.load('/merge-queue');
    await page.getByRole('alert').getByText('Not at this moment.').waitFor();
    await expectAccessible(page);
    isAway = false;
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await row(second).getByText('Held').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    // The service drops the row at once when the checks go; the click may have come before.
    await page.route('**/merge-queue/*/enter', (route) =>
      route.fulfill({ status: 409, json: { error: 'its repository declares no checks' } }),
    );
    await row(second).getByRole('button', { name: 'Queue again' }).click();
    await page
      .locator('.toast')
      .filter({ hasText: /checks/ })
      .waitFor();
    await row(second).getByText('Held').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await declare({ checks: [] });
    await row(second).waitFor({ state: 'hidden' });
  });

  it('worried nobody with open developer tools', () => expect(stage.open.problems).toEqual([]));
});
