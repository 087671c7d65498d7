import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { asksQuestion, byPrompt } from '../support/scripted-model/scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { countClicks } from '../support/browser/count-clicks.ts';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { Stage } from '../support/browser/stage.ts';

const START_TIMEOUT_MS = 240_000;
const RUN_TIMEOUT_MS = 90_000;
const YESTERDAY_USD = 3.21;

type UsageDays = { days: { day: string; costUsd: number }[] };

/** Each time another file, so that no two of them are in each other's way. */
const delivers: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0
    ? exec('echo "kept here" > "note-$(date +%N).txt"')
    : say('A note is there.\n\nSWITCHYARD_STATUS: DONE');
const goesNowhere: ReadyScript = () => say('I looked around.');

describe.each([
  { name: 'mouse', makeHands: mouseHands },
  { name: 'keyboard', makeHands: keyboardHands },
])('few clicks, by $name', ({ makeHands }) => {
  const stage = new Stage(makeHands);
  let clicks: () => Promise<number>;
  let merged = '';
  let commented = '';
  let lost: string[] = [];
  const create = async (title: string) => (await stage.client.createIssue({ title })).identifier;
  /** Every task begins where one arrives. */
  const begin = () => stage.load('/');
  const finished = (identifier: string) =>
    stage
      .region('Recently finished')
      .locator('li')
      .filter({ has: stage.page.getByText(identifier, { exact: true }) });
  const attemptsOf = async (identifier: string) =>
    (await stage.client.issue(identifier)).attempts.length;

  beforeAll(async () => {
    const scripts = [
      { match: 'case:question', script: asksQuestion },
      { match: 'case:lost', script: goesNowhere },
    ];
    await stage.begin({
      script: byPrompt(scripts, delivers),
      slots: 3,
      config: { 'agent.maxTurns': 1, 'agent.maxContinuationAttempts': 0, 'agent.retryBaseMs': 100 },
    });
    clicks = await countClicks(stage.page);
    [merged, commented] = [await create('Note one'), await create('Note two')];
    lost = [await create('case:lost one'), await create('case:lost two')];
    for (const identifier of [merged, commented]) {
      expect(await stage.client.settled(identifier)).toMatchObject({ status: 'completed' });
    }
    for (const identifier of lost) {
      expect(await stage.client.settled(identifier)).toMatchObject({ status: 'failed' });
    }
    await stage.client.must('POST', '/secrets/CHAT_KEY', { value: 'the first value' });
  }, START_TIMEOUT_MS);
  afterAll(() => stage.end());

  it('why did it fail: 1', async () => {
    await begin();
    const [identifier = ''] = lost;
    const needs = stage.region(/^Needs you/).getByRole('listitem');
    await stage.hands.activate(
      needs.filter({ hasText: 'case:lost one' }).getByRole('link').first(),
    );
    const why = stage.page.locator('.reason-card');
    await why
      .getByText(/attempt|retries|turn/i)
      .first()
      .waitFor();
    await stage.page.locator('.issue-heading').getByText(identifier).waitFor();
    expect(await clicks()).toBeLessThanOrEqual(1);
  });

  it('answer a question: 3', async () => {
    const { page, hands, client } = stage;
    const identifier = await create('case:question');
    await begin();
    const answer = stage.region(/^Needs you/).getByRole('link', { name: 'Answer' });
    await answer.waitFor({ timeout: RUN_TIMEOUT_MS });
    await hands.activate(answer);
    await hands.pick(page.getByRole('radio', { name: /Green/ }));
    await hands.activate(stage.button('Send answer'));
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    expect(await clicks()).toBeLessThanOrEqual(3);
  });

  it('comment on a line: 4', async () => {
    const { page, hands, client } = stage;
    await begin();
    await hands.activate(finished(commented).getByRole('link', { name: 'PR' }));
    await hands.activate(page.getByRole('button', { name: /^Comment line 1 of note/ }));
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('Keep it elsewhere');
    await hands.activate(stage.button(/^Send now/));
    await expect
      .poll(async () => (await client.comments(commented)).map(({ body }) => body).join())
      .toContain('Keep it elsewhere');
    expect(await clicks()).toBeLessThanOrEqual(4);
  });

  it('merge: 3', async () => {
    const { hands, client } = stage;
    await begin();
    await hands.activate(finished(merged).getByRole('link', { name: 'PR' }));
    await hands.activate(stage.page.getByRole('button', { name: 'Merge', exact: true }));
    const question = stage.dialog('Merge into main?');
    await hands.activate(question.getByRole('button', { name: 'Merge', exact: true }));
    await expect.poll(async () => (await client.pullRequestOf(merged)).status).toBe('merged');
    expect(await clicks()).toBeLessThanOrEqual(3);
  });

  it('pause: 2, without a reason', async () => {
    const { hands, client } = stage;
    await begin();
    await hands.activate(stage.button('Pause all work'));
    const form = stage.dialog('Pause all work?');
    await hands.submit(form.getByRole('button', { name: 'Pause', exact: true }));
    const paused = async () =>
      (await client.must<{ paused: { reason: string } | null }>('GET', '/state')).paused;
    await expect.poll(paused).toMatchObject({ reason: 'no reason given' });
    expect(await clicks()).toBeLessThanOrEqual(2);
    await client.must('POST', '/resume');
  });

  it('rotate a secret: 4', async () => {
    const { page, hands, client } = stage;
    const told = async () =>
      (await client.audit()).filter(({ subject }) => subject === 'CHAT_KEY').length;
    const before = await told();
    await begin();
    await hands.goTo('Secrets');
    await hands.activate(stage.button('Replace CHAT_KEY'));
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('the second value');
    await hands.activate(stage.button('Save'));
    await stage.said('CHAT_KEY saved');
    expect(await clicks()).toBeLessThanOrEqual(4);
    expect(await told()).toBe(before + 1);
  });

  it('set a budget: 3', async () => {
    const { page, hands, client } = stage;
    await begin();
    await hands.goTo('Costs');
    await hands.type(page.getByRole('textbox', { name: 'Cost per day (USD)' }), '25');
    await hands.submit(stage.button('Save'));
    await stage.said('Budgets saved');
    expect(await clicks()).toBeLessThanOrEqual(3);
    const { agent } = await client.must<{ agent: { budget: unknown } }>('GET', '/config');
    expect(agent.budget).toMatchObject({ dayCostUsd: 25, issueTokens: 20_000_000 });
  });

  it('the model of one issue: 3, with a warning for one that nobody knows', async () => {
    const { page, hands, client } = stage;
    await begin();
    await hands.activate(finished(merged).getByRole('link').first());
    await hands.activate(stage.button('Model'));
    const form = stage.dialog(`Engine, model and template of ${merged}`);
    const known = form.getByRole('list', { name: 'Suggestions' }).getByRole('button');
    await known.first().waitFor();
    const name = (await known.first().locator('.mono').textContent()) ?? '';
    await hands.activate(known.first());
    await form.waitFor({ state: 'detached' });
    expect(await clicks()).toBeLessThanOrEqual(3);
    expect(name).not.toBe('');
    expect((await client.issue(merged)).model).toBe(name);
    await hands.activate(stage.button('Model'));
    await hands.type(form.getByLabel('Model'), 'no-such-model');
    await form.getByText(/lists a model “no-such-model”/).waitFor();
    await stage.inspect();
    await hands.dismiss(form);
    expect((await page.locator('dialog[open]').count()) === 0).toBe(true);
  });

  it('retry all that failed: 3', async () => {
    const { hands } = stage;
    const before = await Promise.all(lost.map(attemptsOf));
    await begin();
    await hands.goTo('Board');
    await hands.activate(stage.button(/^\d+ Failed$/));
    await hands.activate(stage.button(`Retry all ${lost.length}`));
    await expect
      .poll(() => Promise.all(lost.map(attemptsOf)))
      .toEqual(before.map((count) => count + 1));
    expect(await clicks()).toBeLessThanOrEqual(3);
  });

  it("yesterday's cost: 2", async () => {
    const { page, hands, client } = stage;
    const usage = await client.must<UsageDays>('GET', '/usage?days=31');
    const [, yesterday] = usage.days.toReversed();
    const days = usage.days.map((one) =>
      one.day === yesterday?.day ? { ...one, costUsd: YESTERDAY_USD } : one,
    );
    await page.route('**/api/v1/usage?days=31', (route) =>
      route.fulfill({ json: { ...usage, days } }),
    );
    await begin();
    await hands.goTo('Costs');
    await page
      .getByRole('row', { name: /^Yesterday/ })
      .getByText(`$${YESTERDAY_USD}`)
      .waitFor();
    await stage.inspect();
    expect(await clicks()).toBeLessThanOrEqual(2);
    expect(stage.open.problems).toEqual([]);
  });
});
