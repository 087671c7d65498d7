import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec } from '../../control-plane/scripted-provider/step.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { hostileTitle } from '../support/browser/hostile-content.ts';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { expectHarmless } from '../support/browser/shown-output.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const SLEEP_MS = 600_000;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
/** What reaches out of the tree or of a dialog, which the page itself would cut. */
const OVERHANG = `[...document.querySelectorAll('.issue-tree, .issue-tree-list, dialog[open]')]
  .filter((one) => one.scrollWidth > one.clientWidth).length`;

let open: OpenDashboard;
let page: Page;
/** The only slot is taken by an issue that stays, so that all others wait for it. */
let running = '';
let report = '';

beforeAll(async () => {
  const script = () => exec('sleep 600', SLEEP_MS);
  open = await openDashboard({ script, slots: 1, mayRefuse: true });
  ({ page } = open);
  running = await create({ title: 'Takes its time' });
  await open.bench.client.commandRunning(running);
  report = await create({ title: 'Export reports', labels: ['export'] });
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const create = async (issue: { title: string } & Record<string, unknown>) =>
  (await open.bench.client.createIssue(issue)).identifier;

async function load(path: string): Promise<void> {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog', { name: /sub-issues/ });
const row = (number: number) => dialog().getByRole('group', { name: `Sub-issue #${number}` });
const field = (number: number, name: string) =>
  row(number).getByRole('textbox', { name, exact: true });
const tree = (name = 'Sub-issues') => page.getByRole('region', { name, exact: true });
/** The line of an issue in the tree, without those of its sub-issues. */
const line = (text: string, within: Locator = page.locator('.issue-tree')) =>
  within.locator('.issue-tree-row').filter({ hasText: text });
const card = (identifier: string) =>
  page
    .locator('.card')
    .filter({ has: page.locator(`.card-link[data-identifier="${identifier}"]`) });
const childrenOf = async (identifier: string) => {
  const { subIssues } = await open.bench.client.issue(identifier);
  return Promise.all(subIssues.map((part) => open.bench.client.issue(part.identifier)));
};
const childOf = async (identifier: string, title: string) => {
  const found = (await childrenOf(identifier)).find((one) => one.title === title);
  if (found === undefined) throw new Error(`${identifier} has no sub-issue ${title}`);
  return found.identifier;
};
const end = (identifier: string) =>
  open.bench.client.must('PATCH', `/local/issues/${identifier}`, { state: 'Done' });

describe('splitting an issue', () => {
  it('is offered where it is possible', async () => {
    const { client } = open.bench;
    await load(`/issues/${running}`);
    await button('Stop').waitFor();
    expect(await button('Split into sub-issues').count()).toBe(0);
    const done = await create({ title: 'Was done', state: 'Backlog' });
    await end(done);
    await client.issueUntil(done, ({ state }) => state === 'Done', 'is done');
    await load(`/issues/${done}`);
    await button('Move').waitFor();
    expect(await button('Split into sub-issues').count()).toBe(0);
    await load(`/issues/${report}`);
    await button('Split into sub-issues').waitFor();
    expect(await page.locator('.issue-tree').count()).toBe(0);
  });

  it('takes rows, of which one may wait for another, and keeps them until they are sent', async () => {
    await load(`/issues/${report}`);
    await button('Split into sub-issues').click();
    await dialog().getByText(`${report} waits for its sub-issues`).waitFor();
    expect(await dialog().getByRole('group').count()).toBe(1);
    await field(1, 'Title').fill('Read the columns');
    await field(1, 'Description').fill('Also those without a name.');
    await dialog().getByRole('button', { name: 'Add a sub-issue' }).click();
    // The cursor is in the new row, and Enter goes on to the next one without creating anything.
    await page.keyboard.type('Draw a picture');
    await page.keyboard.press('Enter');
    await field(3, 'Title').fill('Write the file');
    await field(3, 'After').fill('#2, #1');
    await dialog().getByText('Waits for #2 Draw a picture, #1 Read the columns').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'tree-dialog');
    // What refers to a removed row follows, and comes back with it.
    await dialog().getByRole('button', { name: 'Remove Draw a picture' }).click();
    expect(await field(2, 'After').inputValue()).toBe('#1');
    await dialog().getByRole('button', { name: 'Undo' }).click();
    expect(await field(3, 'After').inputValue()).toBe('#2, #1');
    await dialog().getByRole('button', { name: 'Remove Draw a picture' }).click();
    await load(`/issues/${report}`);
    await button('Split into sub-issues').click();
    expect(await field(1, 'Description').inputValue()).toBe('Also those without a name.');
    expect(await field(2, 'After').inputValue()).toBe('#1');
    expect(await childrenOf(report)).toEqual([]);
    await dialog().getByRole('button', { name: 'Create sub-issues' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.locator('.toast').filter({ hasText: '2 sub-issues created' }).waitFor();
    const [first, second] = await childrenOf(report);
    expect(first).toMatchObject({
      title: 'Read the columns',
      description: 'Also those without a name.',
      labels: ['export'],
    });
    expect(second).toMatchObject({
      title: 'Write the file',
      blockedBy: [{ identifier: first?.identifier }],
    });
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('Write the');
  });

  it('shows what the service refuses at its row', async () => {
    await load(`/issues/${report}`);
    await button('Add sub-issues').click();
    await field(1, 'Title').fill('Send it');
    await dialog().getByRole('button', { name: 'Add a sub-issue' }).click();
    await field(2, 'Title').fill('Say so');
    await field(2, 'After').fill('#1, SY-9999');
    await dialog().getByRole('button', { name: 'Create sub-issues' }).click();
    await row(2).locator('.field-about.bad').getByText('SY-9999').waitFor();
    expect(await field(2, 'After').getAttribute('aria-invalid')).toBe('true');
    expect(await field(1, 'After').getAttribute('aria-invalid')).toBe('false');
    await dialog().locator('[aria-invalid=true]:focus').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'tree-dialog-refused');
    expect(await childrenOf(report)).toHaveLength(2);
    await field(2, 'After').fill('#1');
    expect(await field(2, 'After').getAttribute('aria-invalid')).toBe('false');
    // A circle is refused with the way around it.
    await field(1, 'After').fill('#2');
    await dialog().getByRole('button', { name: 'Create sub-issues' }).click();
    await dialog().getByText('→').first().waitFor();
    await takePicture(page, 'tree-dialog-circle');
    await dialog().getByRole('button', { name: 'Discard draft' }).click();
    expect(await dialog().getByRole('group').count()).toBe(1);
    expect(await field(1, 'Title').inputValue()).toBe('');
    expect(await dialog().getByText('→').count()).toBe(0);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(await childrenOf(report)).toHaveLength(2);
  });

  it('is done by the keyboard alone', async () => {
    const hands = keyboardHands(page);
    const parent = await create({ title: 'By keyboard' });
    await load(`/issues/${parent}`);
    await hands.activate(button('Split into sub-issues'));
    await dialog().locator('input:focus').waitFor();
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Second');
    await page.keyboard.press('Enter');
    await hands.type(field(2, 'After'), '#1');
    await expectReachableByKeyboard(page);
    await hands.activate(row(1).getByRole('button', { name: 'Remove First' }));
    await hands.activate(dialog().getByRole('button', { name: 'Undo' }));
    await dialog().locator('input:focus').waitFor();
    expect(await field(1, 'Title').inputValue()).toBe('First');
    // The third row is empty, so it is not sent.
    expect(await dialog().getByRole('group').count()).toBe(3);
    await hands.activate(dialog().getByRole('button', { name: 'Create sub-issues' }));
    await dialog().waitFor({ state: 'detached' });
    expect((await childrenOf(parent)).map(({ title }) => title)).toEqual(['First', 'Second']);
    await tree().getByRole('link', { name: 'Second' }).waitFor();
    await expectReachableByKeyboard(page);
  });
});

describe('a tree', () => {
  it('is shown with progress, and renewed without a reload', async () => {
    const [first, second] = [
      await childOf(report, 'Read the columns'),
      await childOf(report, 'Write the file'),
    ];
    await load(`/issues/${report}`);
    await tree().getByText('0 of 2 sub-issues ended').waitFor();
    await page.locator('.issue-state').getByText(`Waiting for ${first}, ${second}`).waitFor();
    const own = tree().locator('[aria-current=page]');
    expect(await own.textContent()).toContain(report);
    const nested = tree().getByRole('list', { name: `Sub-issues of ${report}` });
    expect(await nested.getByRole('listitem').count()).toBe(2);
    await line('Write the file').getByText(`waits for ${first}`).waitFor();
    await line('Read the columns').locator('.status').getByText('Queued').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'tree-parent');
    await end(first);
    await tree().getByText('1 of 2 sub-issues ended').waitFor();
    await line('Read the columns').getByText('Done', { exact: true }).waitFor();
    await line('Read the columns').locator('.status').getByText('Ended').waitFor();
    await line('Write the file').getByText('waits for').waitFor({ state: 'detached' });
    await page.locator('.issue-state').getByText(`Waiting for ${second}`).waitFor();
    await takePicture(page, 'tree-progress');
  });

  it('leads from an issue to its parent, also as a mouse does it', async () => {
    const part = await childOf(report, 'Write the file');
    await load(`/issues/${report}`);
    await tree().getByRole('link', { name: 'Write the file' }).click();
    await page.waitForURL((url) => url.pathname === `/issues/${part}`);
    await line('Write the file', tree('Issue tree')).locator('[aria-current=page]').waitFor();
    expect(await tree('Issue tree').locator('progress').count()).toBe(0);
    await takePicture(page, 'tree-child');
    await page.locator('.part-of').getByRole('link', { name: report }).click();
    await page.waitForURL((url) => url.pathname === `/issues/${report}`);
    await tree().waitFor();
  });

  it('grows by a new issue that is part of another one', async () => {
    const part = await childOf(report, 'Write the file');
    await load('/board');
    await button('New issue').click();
    const form = page.getByRole('dialog', { name: 'New issue' });
    await form.getByRole('textbox', { name: 'Title' }).fill('Quote the texts');
    await form.getByRole('textbox', { name: 'Part of' }).fill('SY-9999');
    await form.getByRole('button', { name: 'Create issue' }).click();
    await form.getByRole('alert').getByText('SY-9999').waitFor();
    await form.getByRole('textbox', { name: 'Part of' }).fill(part.toLowerCase());
    await form.getByRole('button', { name: 'Create issue' }).click();
    await form.waitFor({ state: 'detached' });
    const below = await childOf(part, 'Quote the texts');
    await card(below).getByText(`in ${part}`).waitFor();
    await card(part).getByText('0 of 1 sub-issue ended').waitFor({ state: 'attached' });
    await card(report).getByText('1/2').waitFor();
    await card(report).getByText(`Waiting for ${part}`).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'tree-board');
    await load(`/issues/${report}`);
    const deepest = tree().getByRole('list', { name: `Sub-issues of ${part}` });
    await deepest.getByRole('link', { name: 'Quote the texts' }).waitFor();
    await end(below);
    await end(part);
    await tree().getByText('2 of 2 sub-issues ended').waitFor();
    await open.bench.client.issueUntil(report, ({ state }) => state === 'Done', 'has ended');
    await page.locator('.issue-state').getByText('All sub-issues have ended').waitFor();
    expect(await page.getByText('No attempt yet').count()).toBe(0);
    await takePicture(page, 'tree-ended');
  });

  it('fits a phone, in the dark too, whatever its issues are called', async () => {
    const parent = await create({ title: hostileTitle });
    const long = `Write ${'every-file'.repeat(40)}`;
    await open.bench.client.must('POST', `/${parent}/sub-issues`, {
      subIssues: [{ title: hostileTitle }, { title: long, blockedBy: ['#1'] }],
    });
    const part = await childOf(parent, long);
    await open.bench.client.must('POST', `/${part}/sub-issues`, {
      subIssues: [{ title: hostileTitle, blockedBy: [report] }, { title: long }],
    });
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await load(`/issues/${parent}`);
        await line('Write every-file').first().waitFor();
        await expectHarmless(page, open.problems);
        expect(await page.evaluate(OVERHANG)).toBe(0);
        await expectAccessible(page, colorScheme);
        await takePicture(page, `tree-hostile-${size.width}-${colorScheme}`);
      }
      await load(`/issues/${part}`);
      await line('Write every-file', tree('Issue tree')).first().waitFor();
      // What it waited for has ended in the meantime.
      expect(await tree('Issue tree').getByText(`waits for ${report}`).count()).toBe(0);
      await expectHarmless(page, open.problems);
      await takePicture(page, `tree-hostile-child-${size.width}`);
      await button('Add sub-issues').click();
      await field(1, 'Title').fill(long);
      await dialog().getByRole('button', { name: 'Add a sub-issue' }).click();
      await field(2, 'Title').fill(hostileTitle);
      await field(2, 'After').fill('#1');
      await dialog().getByText('Waits for #1').waitFor();
      await dialog().getByRole('button', { name: 'Remove Write' }).click();
      await dialog().getByText('removed').waitFor();
      await expectHarmless(page, open.problems);
      await expectAccessible(page);
      expect(await page.evaluate(OVERHANG)).toBe(0);
      await takePicture(page, `tree-dialog-hostile-${size.width}`);
      await dialog().getByRole('button', { name: 'Discard draft' }).click();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await load('/board');
      await card(part).getByText(`in ${parent}`).waitFor();
      await expectHarmless(page, open.problems);
    }
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('says when it cannot be read, and that it is longer than its list', async () => {
    const answers = '**/api/v1/*/tree';
    let isAway = true;
    await page.route(answers, async (route) => {
      if (isAway) return route.fulfill({ status: 400, json: { error: 'Not at this moment.' } });
      const response = await route.fetch();
      const body = (await response.json()) as object;
      await route.fulfill({ response, json: { ...body, more: true } });
    });
    await load(`/issues/${report}`);
    await tree().getByRole('alert').getByText('Not at this moment.').waitFor();
    await expectAccessible(page);
    isAway = false;
    await tree().getByRole('button', { name: 'Try again' }).click();
    await tree().getByText('The tree has more issues than are listed here.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('worried nobody with open developer tools', () => expect(open.problems).toEqual([]));
});
