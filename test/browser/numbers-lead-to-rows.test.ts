import { IssueList } from '@switchyard/shared/api/work/issue-list';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { dashboardViews } from '../support/browser/dashboard-views.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { until } from '../support/e2e/until.ts';
import { asksQuestion, byPrompt } from '../support/scripted-model/scripts.ts';

const START_TIMEOUT_MS = 300_000;
const RUN_TIMEOUT_MS = 120_000;
const QUESTION = 'Which colour should the button have?';
const SLOTS = 2;
const DELIVERED = ['Note apples', 'Note pears', 'Note plums'];
const LOST = ['case:lost one', 'case:lost two', 'case:lost three'];
const ASKING = ['case:question one', 'case:question two'];
/** More than the overview shows. */
const WAITING = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `Wait ${name}`);

const delivers: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0
    ? exec('echo "kept here" > "note-$(date +%N).txt"')
    : say('A note is there.\n\nSWITCHYARD_STATUS: DONE');
const goesNowhere: ReadyScript = () => say('I looked around.');

let open: OpenDashboard;
let page: Page;
let asking: string[] = [];
let waiting: string[] = [];
beforeAll(async () => {
  open = await openDashboard({
    script: byPrompt(
      [
        { match: 'case:question', script: asksQuestion },
        { match: 'case:lost', script: goesNowhere },
      ],
      delivers,
    ),
    slots: SLOTS,
    config: { 'agent.maxTurns': 1, 'agent.maxContinuationAttempts': 0, 'agent.retryBaseMs': 100 },
  });
  ({ page } = open);
  const { client } = open.bench;
  const create = async (titles: string[]) => {
    const created: string[] = [];
    for (const title of titles) created.push((await client.createIssue({ title })).identifier);
    return created;
  };
  const ended = await create([...DELIVERED, ...LOST]);
  for (const identifier of ended) await client.settled(identifier);
  const { pullRequests } = await client.must<{ pullRequests: { id: string }[] }>(
    'GET',
    '/local/pull-requests',
  );
  await client.must('POST', `/local/pull-requests/${pullRequests[0]?.id}/close`);
  asking = await create(ASKING);
  const asked = () => client.must<{ total: number }>('GET', '/requests?state=asked');
  await until(asked, ({ total }) => total === SLOTS, {
    what: 'both agents ask',
    timeoutMs: RUN_TIMEOUT_MS,
  });
  waiting = await create(WAITING);
  const last = waiting.at(-1) ?? '';
  await until(
    () => client.issue(last),
    ({ reasonCode }) => reasonCode === 'slots_full',
    { what: 'the last issue waits', timeoutMs: RUN_TIMEOUT_MS },
  );
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

async function load(path: string): Promise<void> {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

type Counted = { href: string; words: string; count: number };

/**
 * Links of the page with a number that counts. What leads to one issue or one pull request has a name,
 * a title or figures of that one.
 */
const COUNTED_LINKS = `[...document.querySelectorAll('a[href]')].flatMap((link) => {
  if (/^\\/(issues|pull-requests)\\//.test(link.pathname)) return [];
  const copy = link.cloneNode(true);
  for (const name of copy.querySelectorAll('time, .mono, .elapsed, small, .visually-hidden')) name.remove();
  const texts = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
  let words = '';
  while (texts.nextNode()) words += ' ' + texts.currentNode.textContent;
  words = words.replace(/\\s+/g, ' ').trim();
  const count = /(?<![\\w#.-])\\d+(?![\\w.-])/.exec(words.replace(/\\b[A-Z]+-\\d+\\b|#\\d+/g, ''));
  return count === null ? [] : [{ href: link.getAttribute('href'), words, count: Number(count[0]) }];
})`;

/** Rows of the list that stands at an address. */
function rowsAt(path: string): Locator {
  if (path === '/board') return page.locator('.card');
  if (path === '/requests')
    return page.locator('main [aria-label^="Question on"], main [aria-label^="Other issues"] > li');
  if (path === '/pull-requests')
    return page.getByRole('region', { name: 'Open pull requests' }).locator('li');
  if (path === '/notifications')
    return page.locator('.notifications > li, .notifications .earlier-list > li');
  if (path === '/runners') return page.locator('main .status', { hasText: 'Connected' });
  throw new Error(`a number leads to ${path}, and nothing here says what are its rows`);
}

/** Opens what a list has folded, so that each of its rows is there. */
async function unfold(): Promise<void> {
  const folded = page.locator('.earlier[aria-expanded="false"]');
  while ((await folded.count()) > 0) await folded.first().click();
}

/** What a link with a number says beyond what its page already shows: all but "6 more". */
function rowsOf({ words, count }: Counted, shownBefore: number): number {
  return words.endsWith(' more on the board') ? count + shownBefore : count;
}

describe('a number', () => {
  const views = dashboardViews('Note apples').map(([path]) => path);
  it.each(['/', ...views.filter((path) => path !== '/')])(
    'in a link of %s leads to exactly the rows that it counted',
    async (path) => {
      await load(path);
      const links = new Map<string, Counted>();
      await expect
        .poll(async () => {
          for (const link of await page.evaluate<Counted[]>(COUNTED_LINKS))
            links.set(`${link.href} ${link.words}`, link);
          return links.size;
        })
        .toBeGreaterThan(2);
      for (const link of links.values()) {
        const { hash, pathname } = new URL(link.href, open.bench.client.url);
        expect(hash).toBe('');
        const before = { person: 6, waiting: 8, running: 10 }[
          new URL(link.href, open.bench.client.url).searchParams.get('need') ?? ''
        ];
        await load(link.href);
        await expect
          .poll(async () => {
            await unfold();
            return [link.words, link.href, await rowsAt(pathname).count()];
          })
          .toEqual([link.words, link.href, rowsOf(link, before ?? 0)]);
      }
    },
    RUN_TIMEOUT_MS * 2,
  );

  it('says the same of what needs a person in every place', async () => {
    const total = DELIVERED.length - 1 + LOST.length + ASKING.length;
    await load('/');
    const tile = page.locator('.figure').filter({ hasText: 'Needs you' }).locator('.figure-value');
    await expect.poll(() => tile.innerText()).toBe(String(total));
    expect(await page.locator('#needs-you .count').innerText()).toBe(String(total));
    const badge = page
      .locator('.rail')
      .getByRole('link', { name: /^Inbox/ })
      .locator('.rail-count');
    await expect.poll(() => badge.innerText()).toContain(String(total));
    await expectAccessible(page);
    await takePicture(page, 'numbers-overview');
    await load('/board');
    const chip = page.locator('.need').filter({ hasText: 'Needs you' }).locator('strong');
    await expect.poll(() => chip.innerText()).toBe(String(total));
    await expectAccessible(page);
    await takePicture(page, 'numbers-board');
    await load('/requests');
    await page.getByText(`${total} issues need you.`).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'numbers-inbox');
  });
});

describe('an issue', () => {
  const card = (identifier: string) =>
    page.locator('.card').filter({ has: page.getByText(identifier, { exact: true }) });

  it('with a question shows the question on its card', async () => {
    await load('/board?need=person');
    for (const identifier of asking) await card(identifier).getByText(QUESTION).waitFor();
    await load('/');
    await page
      .getByRole('region', { name: /^Running/ })
      .getByText(QUESTION)
      .first()
      .waitFor();
  });

  it.each(['/', '/requests'])(
    'has one look in "Needs you" of %s, whatever it needs',
    async (path) => {
      await load(path);
      const rows = page.locator('main li').filter({ has: page.locator('.row-link') });
      const looks = async () =>
        (await rows.allInnerTexts()).filter((text) => /case:lost|Note /.test(text));
      await expect.poll(async () => (await looks()).length).toBeGreaterThan(LOST.length);
      for (const text of await looks())
        expect(text).toMatch(/(?:^|\n)(?:case:lost|Note) \w+\n+SY-\d+ · /);
    },
  );

  it('that waits for a slot says which answer would free it, and leads there', async () => {
    const [identifier = ''] = waiting;
    // Agents ask in any order: the first to ask is named.
    const { issues } = IssueList.parse(await open.bench.client.must('GET', '/issues?group=person'));
    const asked = issues.find(({ needs }) => needs.includes('question'))?.identifier ?? '';
    expect(asking).toContain(asked);
    await load('/board?need=waiting');
    const link = card(identifier).getByRole('link', { name: asked });
    await link.waitFor();
    await card(identifier).getByText(QUESTION).waitFor();
    await link.click();
    await page.waitForURL(new RegExp(`/issues/${asked}$`));
    await page.getByRole('button', { name: 'Send answer' }).waitFor();
    await load(`/issues/${identifier}`);
    await page.locator('.issue-state').getByRole('link', { name: asked }).waitFor();
    await load('/');
    await page
      .getByRole('region', { name: /^Waiting/ })
      .getByRole('link', { name: asked, exact: true })
      .first()
      .waitFor();
    expect(open.problems).toEqual([]);
  });
});
