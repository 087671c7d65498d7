import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { dashboardViews } from '../support/browser/dashboard-views.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const START_TIMEOUT_MS = 180_000;
const TITLE = 'Fix the failing test';
const VIEWS = [...dashboardViews(TITLE).map(([path]) => path), '/feed', '/docs/setup', '/settings'];
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** What scrolls beside its page because it is meant to: a log, a text, a list beside a text. */
const SCROLLS_BY_ITSELF = [
  '.log-scroll',
  '.issue-side',
  '.cards',
  '.hunks',
  '.raw-effective',
  'textarea',
  'pre',
].join();

/** What scrolls downwards and is not meant to, in the words of a developer. */
const SCROLLING = `(() => {
  const bar = (element) => element.tagName.toLowerCase() + [...element.classList].map((name) => '.' + name).join('');
  const root = document.documentElement;
  const page = root.scrollHeight > root.clientHeight ? ['the window by ' + (root.scrollHeight - root.clientHeight) + ' px'] : [];
  const inside = [...document.querySelectorAll('body *')].filter((element) =>
    /auto|scroll/.test(getComputedStyle(element).overflowY) &&
    element.clientHeight > 0 &&
    element.scrollHeight > element.clientHeight + 1 &&
    !element.matches(${JSON.stringify(SCROLLS_BY_ITSELF)}));
  return [...page, ...inside.map(bar)];
})()`;

let open: OpenDashboard;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest() });
  const { client } = open.bench;
  await client.createIssue({ title: TITLE });
  await client.settled('SY-1');
  // More than a window shows.
  for (let count = 0; count < 6; count += 1) {
    await client.createIssue({ title: `${TITLE} again` });
    await client.settled(`SY-${count + 2}`);
  }
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

describe.each(SIZES)('at $width x $height', (size) => {
  it.each(VIEWS)('%s has one scroll bar', async (path) => {
    const { page } = open;
    await page.setViewportSize(size);
    await page.goto(path);
    await page.locator('main h1').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    const scrolling = await page.evaluate<string[]>(SCROLLING);
    expect(scrolling.filter((what) => what !== 'main')).toEqual([]);
    expect(open.problems).toEqual([]);
  });
});
