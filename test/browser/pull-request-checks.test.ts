import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { launchChromium } from '../support/browser/open-dashboard.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { watchedPage, type WatchedPage } from '../support/browser/watched-page.ts';
import { type GitHubBench, startGitHubBench } from '../support/github/github-bench.ts';

const START_TIMEOUT_MS = 180_000;
const WAIT_MS = 45_000;

describe('the checks of a pull request', () => {
  let bench: GitHubBench;
  let watched: WatchedPage;
  let identifier: string;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    await builtDashboard();
    bench = await startGitHubBench({ script: fixFailingTest(), access: 'token', webhooks: false });
    ends.push(bench.close);
    const browser = await launchChromium();
    ends.push(() => browser.close());
    const { client, url: baseURL } = bench.service;
    const context = await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(WAIT_MS);
    watched = await watchedPage(context);
    ({ identifier } = await client.createIssue({ title: 'Durations come out wrong' }));
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
    await reportChecks();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  /** As machines at the code host do it: one passed, one failed, one is at it. */
  async function reportChecks(): Promise<void> {
    const { fake, repository } = bench;
    const [pull] = repository.pulls;
    const sha = await fake.head(repository, pull?.headRef ?? '');
    const output = { title: null, summary: null, text: null };
    const report = (name: string, conclusion: string | null) =>
      repository.checks.push({
        id: fake.nextId(),
        sha: sha ?? '',
        name,
        conclusion,
        output,
        log: '',
        status: conclusion === null ? 'in_progress' : 'completed',
      });
    report('unit', 'success');
    report('lint', 'failure');
    report('deploy preview', null);
  }

  it.each([
    { by: 'mouse', makeHands: mouseHands },
    { by: 'keyboard alone', makeHands: keyboardHands },
  ])('stand beside the issue, by $by', async ({ makeHands }) => {
    const { page, problems } = watched;
    await page.goto('/');
    await page.getByText('Live', { exact: true }).waitFor();
    const hands = makeHands(page);
    await hands.openIssue(identifier);
    const checks = page.getByRole('list', { name: /^Checks of / });
    const check = (name: string) => checks.getByRole('listitem').filter({ hasText: name });
    await check('unit').getByText('Passed').waitFor();
    await check('lint').getByText('Failed').waitFor();
    await check('deploy preview').getByText('Running').waitFor();
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
    await hands.activate(page.getByRole('link', { name: 'Timeline' }));
    await page.getByRole('region', { name: 'Timeline' }).locator('.lane-checks').last().waitFor();
    expect(problems).toEqual([]);
  });
});
