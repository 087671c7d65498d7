import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { Review, ReviewList } from '@switchyard/shared/api/pull-requests/review';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DONE, fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import {
  hostileMarkdown,
  hostileMarkup,
  hostileTitle,
} from '../support/browser/hostile-content.ts';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { expectHarmless } from '../support/browser/shown-output.ts';
import { Stage } from '../support/browser/stage.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const OVERHANG = `[...document.querySelectorAll('.review-panel, dialog[open]')]
  .filter((one) => one.scrollWidth > one.clientWidth).length`;

const HANDED_IN = {
  verdict: 'request_changes',
  summary: `Zero is not a duration.\n\n${hostileMarkup}`,
  findings: [
    { severity: 'should', text: 'The names could be shorter.' },
    {
      severity: 'must',
      path: 'src/format-duration.js',
      line: 3,
      text: `Divides.\n${hostileMarkup}`,
    },
  ],
};
const REVIEW = `I read it.\n\n\`\`\`json\n${JSON.stringify(HANDED_IN)}\n\`\`\`\n\n${DONE}`;

describe('reviews by another agent', () => {
  const stage = new Stage(mouseHands);
  let pullRequest: PullRequest;
  const panel = () => stage.region('Review');
  const load = () => stage.load(`/pull-requests/${pullRequest.id}`);

  beforeAll(async () => {
    const scripts = [{ match: '"verdict": "request_changes"', script: () => say(REVIEW) }];
    await stage.begin({ script: byPrompt(scripts, fixFailingTest()), mayRefuse: true });
    const { client } = stage;
    const { identifier } = await client.createIssue({ title: 'Durations come out wrong' });
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    pullRequest = await client.pullRequestOf(identifier);
  }, START_TIMEOUT_MS);
  afterAll(() => stage.end());

  async function routes(): Promise<RepoRoute[]> {
    const answer = await stage.client.must<{ routes: RepoRoute[] }>('GET', '/setup/repo-routes');
    return answer.routes;
  }

  async function openForm() {
    await stage.load('/repositories');
    await stage.button(/^Review of /).click();
    return stage.dialog('Review of');
  }

  it('are only a button where no policy asks for them, with the refusal beside it', async () => {
    const { page } = stage;
    await load();
    await stage.button('Ask for a review').waitFor();
    expect(await panel().count()).toBe(0);
    await expectAccessible(page);
    await takePicture(page, 'review-ask');
    await page.route('**/pull-requests/*/review', (route) =>
      route.fulfill({ status: 409, json: { error: 'it cannot be reviewed now: it is worked on' } }),
    );
    await keyboardHands(page).activate(stage.button('Ask for a review'));
    await page.getByRole('alert').getByText('it is worked on').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'review-refused');
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('are asked for by a person, and followed without a reload', async () => {
    const { page } = stage;
    const keys = keyboardHands(page);
    await load();
    await keys.activate(stage.button('Ask for a review'));
    await stage.said(`Another agent reviews #${pullRequest.number}.`);
    await panel().getByText('Changes requested').waitFor();
    await panel().getByText('Asked for by you').waitFor();
    await panel().getByText('by codex').waitFor();
    await panel().getByText('Zero is not a duration.').waitFor();
    const findings = panel().getByRole('list', { name: 'Findings of review 1' });
    expect(await findings.getByRole('listitem').count()).toBe(2);
    const first = findings.getByRole('listitem').first();
    await first.getByText('Must be changed').waitFor();
    await first.getByText('src/format-duration.js:3', { exact: true }).waitFor();
    await findings.getByText('Whole change').waitFor();
    await expectHarmless(page, stage.open.problems);
    await expectAccessible(page);
    await takePicture(page, 'review-findings');
    await keys.activate(panel().getByRole('link', { name: 'Attempt of review 1' }));
    await page.waitForURL(({ pathname }) => pathname === `/issues/${pullRequest.issueIdentifier}`);
    const attempt = page.getByRole('region', { name: 'Attempt 2', exact: true });
    await attempt.getByText('Review', { exact: true }).waitFor();
    await takePicture(page, 'review-attempt');
    await stage.load('/feed?area=people');
    await page.getByText('review asks for changes').first().waitFor();
  });

  it('are chosen for a repository by the keyboard, in a form that says what is wrong', async () => {
    const { page } = stage;
    const keys = keyboardHands(page);
    const before = (await routes())[0];
    await stage.load('/repositories');
    await keys.activate(stage.button(/^Review of /));
    const dialog = stage.dialog('Review of');
    const mode = dialog.getByLabel('Review by another agent');
    const rounds = dialog.getByLabel('Rounds at most');
    expect(await mode.inputValue()).toBe('off');
    expect(await rounds.count()).toBe(0);
    await keys.choose(mode, 'Review required');
    await dialog.getByText('before a review has approved its commit').waitFor();
    await keys.type(rounds, '99');
    await keys.type(dialog.getByLabel('Instructions'), 'Look at the units.');
    await keys.activate(dialog.getByRole('button', { name: 'Save' }));
    await dialog.getByText('A whole number from 0 to 10.').waitFor();
    expect(await rounds.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
    await takePicture(page, 'review-policy-refused');
    await keys.type(rounds, '0');
    await keys.submit(dialog.getByRole('button', { name: 'Save' }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('required, findings are not sent back').waitFor();
    expect((await routes())[0]).toEqual({
      ...before,
      review: { mode: 'require', max_rounds: 0, instructions: 'Look at the units.' },
    });
    await expectAccessible(page);
    await takePicture(page, 'review-policy');
    await (await openForm()).getByLabel('Review by another agent').selectOption('off');
    await stage.settle(stage.dialog('Review of'), 'Save');
    await page.getByText('required, findings').waitFor({ state: 'detached' });
  });

  it('fit a phone, in the dark too, whatever they say', async () => {
    const { page, client } = stage;
    const path = `/pull-requests/${pullRequest.id}/reviews`;
    const list = await client.must<ReviewList>('GET', path);
    const [review] = list.reviews as [Review];
    const long = `Write ${'every-file'.repeat(60)}`;
    const hostile: Review = {
      ...review,
      summary: `${long}\n${hostileMarkdown}`,
      findings: [
        { severity: 'must', path: `src/${long}`, line: 9_999_999, text: hostileTitle },
        { severity: 'should', path: hostileMarkup, line: null, text: long },
      ],
      findingsLeftOut: 7,
      returned: true,
      engine: long,
      model: hostileMarkup,
      askedBy: long,
    };
    const reviews: Review[] = [
      { ...hostile, number: 3 },
      { ...hostile, number: 2, commitSha: '1'.repeat(40) },
      { ...hostile, number: 1, state: 'failed', verdict: null, reason: long, summary: null },
    ];
    await page.route(`**/api/v1${path}`, (route) =>
      route.fulfill({ json: { reviews, mode: 'require' } }),
    );
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await load();
        // The diff, once it is there, is drawn with everything above it anew.
        await page.getByText('of 1 file viewed').waitFor();
        await panel().getByText('7 more findings left out.').first().waitFor();
        await panel().getByText('2 earlier reviews').click();
        await panel().getByText('an earlier commit').waitFor();
        await panel().getByText('No verdict').waitFor();
        await panel().getByText("Given to the author's agent.").first().waitFor();
        await expectHarmless(page, stage.open.problems);
        expect(await page.evaluate(OVERHANG)).toBe(0);
        await expectAccessible(page, colorScheme);
        await takePicture(page, `review-hostile-${size.width}-${colorScheme}`);
      }
    }
    await page.unrouteAll({ behavior: 'wait' });
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('say when there are none, and when they cannot be read', async () => {
    const { page } = stage;
    let answer: { status?: number; json: unknown } = { json: { reviews: [], mode: 'require' } };
    await page.route('**/pull-requests/*/reviews', (route) => route.fulfill(answer));
    await load();
    await panel().getByText('No review yet.').waitFor();
    await panel().getByText('before the merge queue takes it').waitFor();
    await panel().getByRole('button', { name: 'Ask for a review' }).waitFor();
    answer = { status: 400, json: { error: 'Not at this moment.' } };
    await load();
    await panel().getByRole('alert').getByText('Not at this moment.').waitFor();
    await expectAccessible(page);
    await page.unrouteAll({ behavior: 'wait' });
    await panel().getByRole('button', { name: 'Try again' }).click();
    await panel().getByRole('button', { name: 'Review again' }).waitFor();
  });

  it('worried nobody with open developer tools', () => expect(stage.open.problems).toEqual([]));
});
