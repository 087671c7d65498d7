import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { CHECKS_FEATURE } from '@switchyard/shared/protocol/features';
import { EMPTY_DIGEST, extendDigest } from '@switchyard/shared/protocol/extend-digest';
import { RENEW_MS } from '@switchyard/shared/protocol/limits';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { Stage } from '../support/browser/stage.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import {
  DELIVERY,
  eventsMessage,
  finishMessage,
  heldItem,
  type Lease,
  numbered,
} from '../support/core/scripted-runner.ts';
import { type SocketLine, SocketRunner } from '../support/core/socket-runner.ts';

const START_TIMEOUT_MS = 180_000;
const COMMIT = DELIVERY.commitSha;
const LINT = { name: 'lint', command: 'npm run lint' };
const TEST = { name: 'test', command: 'npm test -- --reporter=dot', timeout_ms: 120_000 };
const OUTPUT = '\u001b[31mnot ok 3\u001b[0m durations\n  expected 60, got <b>61</b>';

describe('the checks that a repository declares', () => {
  const stage = new Stage(mouseHands);
  let runner: SocketRunner;
  let line: SocketLine;
  let lease: Lease;
  let renewing: ReturnType<typeof setInterval>;
  let before = '';
  let identifier = '';
  const panel = () => stage.region('Checks by Switchyard');
  const check = (name: string) =>
    panel()
      .getByRole('listitem')
      .filter({ has: stage.page.getByText(name, { exact: true }) });

  beforeAll(async () => {
    await stage.begin({ script: fixFailingTest(), mayRefuse: true });
    const { client } = stage;
    before = (await client.createIssue({ title: 'Durations come out wrong' })).identifier;
    expect(await client.settled(before)).toMatchObject({ status: 'completed' });
    const [builtIn] = await client.runners();
    await client.must('POST', `/runners/${builtIn?.runnerId}/drain`, {});
    runner = await SocketRunner.join(client, 'checker');
    line = await runner.open();
    line.say({ ...runner.hello(), features: [CHECKS_FEATURE] });
    await line.next('welcome');
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    clearInterval(renewing);
    runner?.close();
    await stage.end();
  });

  /** What a runner says of a check, stored before the page is asked about it. */
  async function tell(payload: Record<string, unknown>): Promise<void> {
    const items = numbered(lease, [{ kind: 'check', payload }], Date.now());
    line.say(eventsMessage(lease, items));
    await line.next('ack');
    lease.seq += items.length;
    lease.digest = await extendDigest(lease.digest, items);
  }
  const started = (name: string, run = 1) => ({ state: 'started', name, commitSha: COMMIT, run });
  const ended = (name: string, result: AttemptCheck['state'], changes: object = {}) => ({
    state: 'ended',
    name,
    commitSha: COMMIT,
    run: 1,
    result,
    durationMs: 12_400,
    exitCode: result === 'passed' ? 0 : 1,
    output: '',
    ...changes,
  });

  /** Begins an attempt of a new issue and answers the issue. */
  async function begin(title: string): Promise<string> {
    const issue = await stage.client.createIssue({ title });
    const { attemptId, epoch } = await line.next('offer');
    line.say({ type: 'accept', ref: `accept-${attemptId}`, attemptId, epoch });
    const { attemptToken } = await line.next('granted');
    lease = { attemptId, epoch, token: attemptToken, seq: 0, digest: EMPTY_DIGEST };
    clearInterval(renewing);
    const held = { ...lease };
    renewing = setInterval(() => {
      const slots = { total: 1, free: 0 };
      line.say({ type: 'renew', ref: `renew-${attemptId}`, held: [heldItem(held, 0)], slots });
    }, RENEW_MS);
    return issue.identifier;
  }

  async function end(changes: Parameters<typeof finishMessage>[1]): Promise<void> {
    clearInterval(renewing);
    await line.sayUntil(() => finishMessage(lease, { delivery: DELIVERY, ...changes }), 'finished');
  }

  it('are declared in a form that says what is wrong with them', async () => {
    const { page, client } = stage;
    await stage.load('/repositories');
    await page.getByRole('button', { name: /^Checks of / }).click();
    const dialog = stage.dialog('Checks of');
    const field = (number: number, label: string) =>
      dialog.getByRole('group', { name: `Check ${number}` }).getByLabel(label);
    const add = dialog.getByRole('button', { name: 'Add a check' });
    const save = dialog.getByRole('button', { name: 'Save' });
    await add.click();
    await page.keyboard.type('te`st');
    await field(1, 'Limit in minutes').fill('0.001');
    await save.click();
    await dialog.getByText('must be 1 to 64 of').waitFor();
    await dialog.getByText('A command is needed.').waitFor();
    await dialog.getByText('From 1 second (0.02) to 60 minutes.').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'checks-refused');
    await field(1, 'Name').fill(TEST.name);
    await field(1, 'Limit in minutes').fill('2');
    await field(1, 'Command').fill(TEST.command);
    await add.click();
    await page.keyboard.type(TEST.name);
    await field(2, 'Command').fill(LINT.command);
    await save.click();
    await dialog.getByText('two checks have the same name').waitFor();
    await field(2, 'Name').fill(LINT.name);
    const up = dialog.getByRole('button', { name: 'Move lint up' });
    await up.focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('lint is check 1 of 2.').waitFor({ state: 'attached' });
    await expect
      .poll(() => up.evaluate((one) => one === one.ownerDocument.activeElement))
      .toBe(true);
    await expectReachableByKeyboard(page);
    await takePicture(page, 'checks-form');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('2 checks: lint, test').waitFor();
    const { routes } = await client.must<{ routes: RepoRoute[] }>('GET', '/setup/repo-routes');
    expect(routes.map(({ checks }) => checks)).toEqual([[LINT, TEST]]);
    await takePicture(page, 'checks-listed');
  });

  it('come back after they were removed, and stay as they are until they are saved', async () => {
    const { page } = stage;
    await stage.load('/repositories');
    await page.getByRole('button', { name: /^Checks of / }).click();
    const dialog = stage.dialog('Checks of');
    await dialog.getByRole('button', { name: 'Remove lint' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('lint removed.').waitFor();
    // The button that undoes it has the focus.
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog.getByRole('group').count()).toBe(2);
    expect(await dialog.getByLabel('Name').first().inputValue()).toBe('lint');
    await dialog.getByRole('button', { name: 'Remove lint' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('2 checks: lint, test').waitFor();
  });

  it('have no place where none was declared', async () => {
    const { page, client } = stage;
    await stage.load(`/issues/${before}`);
    await page.getByRole('region', { name: 'Attempt 1' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await panel().count()).toBe(0);
    await stage.load(`/pull-requests/${(await client.pullRequestOf(before)).id}`);
    await stage.region('Description').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await panel().count()).toBe(0);
  });

  it('are shown while they run, without being asked for', async () => {
    const { page } = stage;
    identifier = await begin('Round them down');
    await stage.load(`/issues/${identifier}`);
    await check('lint').getByText('Pending').waitFor();
    await tell(started('lint'));
    await check('lint').getByText('Running').waitFor();
    await check('test').getByText('Pending').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'checks-running');
    await tell(ended('lint', 'failed'));
    await tell(started('lint', 2));
    await tell(ended('lint', 'passed', { run: 2 }));
    await check('lint').getByText('Passed', { exact: true }).waitFor();
    await check('lint').getByText('passed at the second run').waitFor();
  });

  it('show what one printed that failed, and leave the work to a person', async () => {
    const { page } = stage;
    await tell(started('test'));
    await tell(ended('test', 'failed'));
    await tell(started('test', 2));
    const changedFiles = ['snapshots/durations.txt'];
    await tell(ended('test', 'failed', { run: 2, output: OUTPUT, changedFiles }));
    await check('test').getByText('expected 60, got <b>61</b>').waitFor();
    await check('test').getByText('exit code 1').waitFor();
    await check('test').getByText('snapshots/durations.txt').waitFor();
    const told = stage.button(/^Check test failed \(exit code 1\) after 12s, second run/);
    expect(await told.getAttribute('aria-expanded')).toBe('false');
    await end({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      reasonCode: 'checks_failed',
      message: 'The check test failed.',
    });
    await stage.region('What to do').getByText('does not pass the checks').waitFor();
    await stage.button('Deliver as draft').waitFor();
    await stage.button('Retry').waitFor();
    await page.getByRole('textbox', { name: /comment/i }).waitFor();
    expect(await stage.button('Deliver again').count()).toBe(0);
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
    await takePicture(page, 'checks-failed');
  });

  it('fit a phone, in the dark too', async () => {
    const { context, bench } = stage.open;
    const phone = await context.browser()?.newPage({
      baseURL: bench.client.url,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    });
    if (phone === undefined) throw new Error('the browser is gone');
    const fits = async (...targets: Locator[]) => {
      const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(await phone.evaluate<number>(overhang)).toBeLessThanOrEqual(0);
      for (const target of targets)
        expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      await expectAccessible(phone);
    };
    await phone.goto(`/issues/${identifier}`);
    const shown = phone.getByRole('region', { name: 'Checks by Switchyard' });
    await shown.getByText('expected 60, got <b>61</b>').waitFor();
    await fits(shown.locator('summary'), shown.getByRole('button', { name: 'Copy output' }));
    await takePicture(phone, 'checks-phone-dark');
    await phone.goto('/repositories');
    await phone.getByRole('button', { name: /^Checks of / }).click();
    const dialog = phone.getByRole('dialog', { name: /^Checks of / });
    const up = dialog.getByRole('button', { name: 'Move test up' });
    await fits(up, dialog.getByRole('button', { name: 'Add a check' }));
    await takePicture(phone, 'checks-phone-form');
    await phone.close();
  });

  it('stand on the page of the pull request', async () => {
    const { page, client } = stage;
    const second = await begin('Round them up');
    await tell(ended('lint', 'passed'));
    await tell(ended('test', 'passed', { output: '3 of 3 passed' }));
    await end({ marker: 'DONE' });
    expect(await client.settled(second)).toMatchObject({ status: 'completed' });
    await stage.load(`/pull-requests/${(await client.pullRequestOf(second)).id}`);
    await check('test').getByText('Passed', { exact: true }).waitFor();
    await check('test').locator('summary').click();
    await check('test').getByText('3 of 3 passed').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'checks-pull-request');
  });
});
