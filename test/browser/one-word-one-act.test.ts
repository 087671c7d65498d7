import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fixFailingTest,
  type ReadyScript,
} from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { Stage } from '../support/browser/stage.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 390, height: 844 };

const listens: ReadyScript = ({ stepIndex }) =>
  stepIndex > 20 ? say('I waited.') : exec(`sleep 300; echo ${stepIndex}`, 30_000);

/** What a person does to an issue: one word for each act, one box for what they say. */
describe('an act of a person', () => {
  const stage = new Stage(mouseHands);
  let done = '';
  let listening = '';
  const sent: string[] = [];
  const toast = (text: string | RegExp) => stage.page.locator('.toast').filter({ hasText: text });
  const changesOf = (verb: string) => sent.filter((path) => path.endsWith(`/${verb}`));
  const question = (name = `Retry ${done}?`) => stage.dialog(name);

  beforeAll(async () => {
    await stage.begin({
      script: byPrompt([{ match: 'case:listen', script: listens }], fixFailingTest()),
      slots: 1,
      mayRefuse: true,
    });
    const { client, page } = stage;
    done = (await client.createIssue({ title: 'Durations come out wrong' })).identifier;
    expect(await client.settled(done)).toMatchObject({ status: 'completed' });
    listening = (await client.createIssue({ title: 'case:listen' })).identifier;
    await client.commandRunning(listening);
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      // An issue that is looked at has been read: no act.
      if (request.method() !== 'GET' && !pathname.endsWith('/read-all')) sent.push(pathname);
    });
    await page.emulateMedia({ reducedMotion: 'reduce' });
  }, START_TIMEOUT_MS);
  afterAll(() => stage.end());

  it('asks before it retries what is completed, and says what becomes of the pull request', async () => {
    const { page, hands } = stage;
    await hands.openIssue(done);
    await stage.button('Retry').click();
    await question().getByText('open pull request').waitFor();
    await takePicture(page, 'retry-question');
    await stage.inspect();
    await hands.dismiss(question());
    await page.keyboard.press('r');
    await question().waitFor();
    await hands.dismiss(question());
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('Retry');
    await page.getByRole('option', { name: /^Retry/ }).click();
    await question().waitFor();
    await hands.dismiss(question());
    expect(await page.locator('.toast').count()).toBe(0);
    expect(sent).toEqual([]);
  });

  it('asks on the board too, where a completed one is among the selected', async () => {
    const { page, hands } = stage;
    await stage.load('/board');
    const card = page.locator(`.card-link[data-identifier="${done}"]`);
    // Until it is known what stands above it, the page is there and hidden: nothing takes the focus.
    await card.waitFor();
    await card.focus();
    await page.keyboard.press('r');
    await question().waitFor();
    await hands.dismiss(question());
    await card.focus();
    await page.keyboard.press('x');
    const bar = page.getByRole('toolbar', { name: 'Selected issues' });
    await bar.getByRole('button', { name: 'Retry' }).click();
    await hands.dismiss(question());
    await page.keyboard.press('Escape');
    expect(sent).toEqual([]);
  });

  it('is said in one box on a running issue, which keeps what is typed', async () => {
    const { page, hands } = stage;
    await hands.openIssue(listening);
    await page.getByRole('log').getByText('sleep 300').first().waitFor();
    const boxes = page.locator('main textarea');
    await boxes.first().waitFor();
    expect(await boxes.count()).toBe(1);
    await page.keyboard.press('s');
    await expect
      .poll(() => boxes.evaluate((box) => box === box.ownerDocument.activeElement))
      .toBe(true);
    await page.keyboard.type('Hurry up');
    await page.getByText('Ctrl+Enter sends', { exact: true }).waitFor();
    await takePicture(page, 'one-box');
    await stage.inspect();
    await page.getByRole('radio', { name: 'As a comment' }).check();
    await page.reload();
    await expect.poll(() => boxes.inputValue()).toBe('Hurry up');
    expect(await page.getByRole('radio', { name: 'As a comment' }).isChecked()).toBe(true);
    await page.getByRole('link', { name: 'Changes' }).click();
    await expect.poll(() => boxes.inputValue()).toBe('Hurry up');
    expect(await boxes.count()).toBe(1);
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    expect(sent).toEqual([]);
  });

  it('goes where it was meant to, once', async () => {
    const { page, client } = stage;
    const box = page.locator('main textarea');
    await box.focus();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Control+Enter');
    await page.locator('.comments').getByText('Hurry up').waitFor();
    await page.locator('.comment-head').getByText('You', { exact: true }).first().waitFor();
    await expect.poll(() => box.inputValue()).toBe('');
    expect(changesOf('comments')).toHaveLength(1);
    expect(changesOf('steer')).toEqual([]);
    await page.getByRole('radio', { name: 'To the agent now' }).check();
    await box.fill('Faster');
    await page.keyboard.press('Enter');
    await page.keyboard.type('please');
    expect(await box.inputValue()).toBe('Faster\nplease');
    await page.keyboard.press('Control+Enter');
    await toast(/Message sent|Message queued/).waitFor();
    expect(changesOf('steer')).toHaveLength(1);
    const { comments } = await client.must<{ comments: { body: string }[] }>(
      'GET',
      `/local/issues/${listening}/comments`,
    );
    expect(comments.filter(({ body }) => body.includes('Faster'))).toEqual([]);
  });

  it('fits on a phone', async () => {
    const { page } = stage;
    const { width, height } = page.viewportSize() ?? { width: 1280, height: 800 };
    await page.setViewportSize(PHONE);
    await page.getByRole('radio', { name: 'To the agent now' }).scrollIntoViewIfNeeded();
    await takePicture(page, 'one-box-phone');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      PHONE.width,
    );
    await page.setViewportSize({ width, height });
  });

  it('is Stop in button and question, and Stopped by you wherever it is told', async () => {
    const { page, hands, client } = stage;
    await stage.button('Stop').click();
    const stop = stage.dialog(`Stop ${listening}?`);
    await takePicture(page, 'stop-question');
    await stop.getByRole('button', { name: 'Stop' }).click();
    await toast(`${listening}: stopping`).waitFor();
    await page.locator('.issue-state').getByText('Stopped', { exact: true }).waitFor();
    await page.locator('.issue-state').getByText('Stopped by you').waitFor();
    const log = page.getByRole('log');
    await log.locator('.log-entry').filter({ hasText: 'Stopped by you' }).waitFor();
    await takePicture(page, 'stopped');
    const page1 = await page.locator('main').innerText();
    expect(page1).not.toMatch(/abort|cancel|interrupt|local user/i);
    expect((await client.issue(listening)).reason).toBe('stopped by the local user');
    await hands.goTo('Live feed');
    await page.getByText('attempt stopped by you').waitFor();
    await takePicture(page, 'stopped-feed');
  });

  it('is a retry without a question where nothing was delivered, by you as well', async () => {
    const { page, hands, client } = stage;
    await hands.openIssue(listening);
    await stage.button('Retry').click();
    await toast(`Retrying ${listening}`).getByRole('button', { name: 'Now' }).click();
    await toast(`${listening}: retried`).waitFor();
    await client.commandRunning(listening);
    await page.locator('.issue-state').getByText('Running').waitFor();
    expect(stage.open.problems).toEqual([]);
  });

  it('is typed on where the box goes when the agent ends, and says there what went wrong', async () => {
    const { page, hands, client } = stage;
    await hands.openIssue(listening);
    await page.locator('.steer-box textarea').fill('ra');
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/steer', async (route) => {
      await held;
      await route.fulfill({ status: 409, json: { error: 'the turn is over' } });
    });
    await page.keyboard.press('Control+Enter');
    await client.must('POST', `/${listening}/abort`);
    const box = page.locator('.side-section textarea');
    await box.waitFor();
    await page.keyboard.type('ther');
    expect(await box.inputValue()).toBe('rather');
    answer();
    await page.locator('.side-section').getByText('the turn is over').waitFor();
    expect(await box.inputValue()).toBe('rather');
    expect(await page.locator('.toast').filter({ hasText: 'Retrying' }).count()).toBe(0);
  });

  it('stays a comment when an agent begins while it is written', async () => {
    const { page, hands, client } = stage;
    await hands.openIssue(listening);
    const box = page.locator('.side-section textarea');
    await box.fill('');
    await box.pressSequentially('For the team');
    await client.must('POST', `/${listening}/retry`);
    const live = page.locator('.steer-box');
    await live.waitFor();
    expect(await live.getByRole('textbox').inputValue()).toBe('For the team');
    expect(await live.getByRole('radio', { name: 'As a comment' }).isChecked()).toBe(true);
    expect(await live.getByRole('button').innerText()).toBe('Comment');
  });

  it('happens at once where a person was asked: one of the question and Undo, not both', async () => {
    const { page, hands } = stage;
    await hands.openIssue(done);
    sent.length = 0;
    await stage.button('Retry').click();
    await question().getByRole('button', { name: 'Retry' }).click();
    // Whichever comes first.
    const told = page
      .locator('.toast')
      .filter({ hasText: new RegExp(`^Retrying|${done}: retried`) });
    expect(await told.first().innerText()).toContain(`${done}: retried`);
    expect(changesOf('retry')).toHaveLength(1);
    await takePicture(page, 'retried-at-once');
    expect(stage.open.problems).toEqual([]);
  });
});
