import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLOCKED, fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { Stage } from '../support/browser/stage.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';

const START_TIMEOUT_MS = 180_000;
/** As long as what was begun can be taken back. */
const UNDO_MS = 10_000;

/** Everything that the page asks the service to change; that an issue was looked at changes no work. */
function changesAsked(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET' && !pathname.endsWith('/read-all')) asked.push(pathname);
  });
  return asked;
}

/** What takes letters without being a field of a form. */
const ADD_EDITABLE = `(() => {
  const host = document.createElement('div');
  host.attachShadow({ mode: 'open' }).innerHTML = '<input aria-label="inside">';
  const text = document.createElement('div');
  text.setAttribute('contenteditable', '');
  text.id = 'editable';
  host.id = 'host';
  document.querySelector('main').append(text, host);
})()`;
const FOCUS_EDITABLE = `document.getElementById('editable').focus()`;
const FOCUS_INSIDE = `document.getElementById('host').shadowRoot.querySelector('input').focus()`;

describe('a stray key', () => {
  const stage = new Stage(mouseHands);
  let asked: string[] = [];
  let done = '';
  let stuck = '';
  const idle: string[] = [];
  const toast = (text: string) => stage.page.locator('.toast').filter({ hasText: text });
  const column = (name: string) => stage.page.getByRole('region', { name, exact: true });
  const card = (identifier: string) =>
    stage.page.locator(`.card-link[data-identifier="${identifier}"]`);
  /** Of what has delivered nothing, so that nobody is asked first. */
  const retryByKey = async () => {
    await stage.page.keyboard.press('r');
    await toast('Retrying').waitFor();
  };
  const attempts = async (of: string) => (await stage.client.issue(of)).attempts.length;
  const states = async () =>
    Promise.all(idle.map(async (identifier) => (await stage.client.issue(identifier)).state));

  beforeAll(async () => {
    const blocked = { match: 'case:stuck', script: () => say(BLOCKED) };
    await stage.begin({ script: byPrompt([blocked], fixFailingTest()), slots: 1 });
    const { client, page } = stage;
    done = (await client.createIssue({ title: 'Durations come out wrong' })).identifier;
    expect(await client.settled(done)).toMatchObject({ status: 'completed' });
    stuck = (await client.createIssue({ title: 'case:stuck' })).identifier;
    expect(await client.settled(stuck)).toMatchObject({ status: 'blocked' });
    for (const title of ['Write the handbook', 'Draw the map']) {
      idle.push((await client.createIssue({ title, state: 'Backlog' })).identifier);
    }
    await page.clock.install();
    // What is looked at for its looks must be at rest.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    asked = changesAsked(page);
  }, START_TIMEOUT_MS);
  afterAll(() => stage.end());

  it('is a letter of the comment on a line as soon as its box is open', async () => {
    const { page } = stage;
    await stage.load(`/issues/${done}?view=changes`);
    const plus = page.getByRole('button', { name: /^Comment line 11 of/ }).first();
    await plus.click();
    await page.keyboard.type('Please retry and move it');
    const field = page.getByRole('textbox', { name: 'Comment on this line' });
    expect(await field.inputValue()).toBe('Please retry and move it');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(asked).toEqual([]);
    expect(await attempts(done)).toBe(1);
  });

  it('does nothing wherever something can be typed', async () => {
    const { page } = stage;
    await stage.load(`/issues/${done}`);
    await stage.button('Retry').waitFor();
    await page.evaluate(ADD_EDITABLE);
    for (const focus of [FOCUS_EDITABLE, FOCUS_INSIDE]) {
      await page.evaluate(focus);
      await page.keyboard.type('rmv?');
      expect(await page.locator('dialog[open], .toast').count()).toBe(0);
    }
    expect(asked).toEqual([]);
  });

  it('starts nothing at once, and not at all when it is taken back', async () => {
    const { page } = stage;
    await stage.load(`/issues/${stuck}`);
    await stage.button('Retry').waitFor();
    await retryByKey();
    await stage.inspect();
    await toast('Retrying').getByRole('button', { name: 'Undo' }).click();
    await toast('Retrying').waitFor({ state: 'detached' });
    await retryByKey();
    await page.keyboard.press('z');
    await toast('Retrying').waitFor({ state: 'detached' });
    await page.clock.fastForward(2 * UNDO_MS);
    expect(asked).toEqual([]);
  });

  it('moves no card for good that is dropped into a column where agents work', async () => {
    const { page } = stage;
    await stage.load('/board');
    const [first = ''] = idle;
    await card(first).waitFor();
    await page
      .locator('.card')
      .filter({ has: card(first) })
      .dragTo(column('Todo'));
    await column('Todo').locator(card(first)).waitFor();
    await toast(`Moving ${first} to Todo`).getByRole('button', { name: 'Undo' }).click();
    await column('Backlog').locator(card(first)).waitFor();
    await page.clock.fastForward(2 * UNDO_MS);
    expect(asked).toEqual([]);
    expect(await states()).toEqual(['Backlog', 'Backlog']);
  });

  it('moves and starts no selected cards for good', async () => {
    const { page } = stage;
    for (const identifier of idle) {
      await card(identifier).focus();
      await page.keyboard.press('x');
    }
    await page.keyboard.press('m');
    const states = stage.dialog('Move 2 issues to');
    await expect
      .poll(() => page.evaluate<string>('document.activeElement?.closest("li")?.innerText ?? ""'))
      .not.toBe('');
    await states.getByRole('button', { name: 'Todo' }).click();
    await column('Todo')
      .locator(card(idle[1] ?? ''))
      .waitFor();
    await page.keyboard.press('z');
    await column('Backlog')
      .locator(card(idle[1] ?? ''))
      .waitFor();
    await page.keyboard.press('r');
    await toast('Retrying 2 issues').waitFor();
    await page.keyboard.press('z');
    await toast('Retrying 2 issues').waitFor({ state: 'detached' });
    await page.clock.fastForward(2 * UNDO_MS);
    expect(asked).toEqual([]);
  });

  it('cannot answer a question by going on: that begins at the answer that does nothing', async () => {
    const { page } = stage;
    await page.keyboard.press('Escape');
    await card(idle[0] ?? '').focus();
    await page.keyboard.press('a');
    const question = stage.dialog(`Stop ${idle[0]}?`);
    await expect
      .poll(() => page.evaluate<string>('document.activeElement?.textContent ?? ""'))
      .toBe('Cancel');
    await page.keyboard.type('e it ');
    await question.waitFor({ state: 'detached' });
    expect(asked).toEqual([]);
  });

  it('is listed with the others, and so is the way back', async () => {
    const { page } = stage;
    await page.keyboard.press('?');
    const help = stage.dialog('Keyboard shortcuts');
    await help.getByText('Undo the pending action').waitFor();
    await help.getByText('Retry').waitFor();
    await page.keyboard.press('Escape');
  });

  it('acts after ten seconds, on whatever view one is by then, and when the page is left', async () => {
    const { page, client } = stage;
    await stage.load(`/issues/${stuck}`);
    await stage.button('Retry').waitFor();
    await retryByKey();
    await stage.hands.goTo('Runners');
    await toast('Retrying').waitFor();
    expect(asked).toEqual([]);
    await page.clock.fastForward(UNDO_MS);
    await expect.poll(() => asked).toEqual([`/api/v1/${stuck}/retry`]);
    await client.issueUntil(stuck, (issue) => issue.attempts.length === 2, 'is tried again');
    expect(await client.settled(stuck)).toMatchObject({ status: 'blocked' });
    await stage.load(`/issues/${stuck}`);
    await stage.button('Retry').waitFor();
    await retryByKey();
    await page.goto('about:blank');
    await client.issueUntil(stuck, (issue) => issue.attempts.length === 3, 'is tried once more');
    expect(stage.open.problems).toEqual([]);
  });
});
