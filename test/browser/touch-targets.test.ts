import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLOCKED, type ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { dashboardViews } from '../support/browser/dashboard-views.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { asksQuestion, byPrompt } from '../support/scripted-model/scripts.ts';

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 390, height: 844 };
/** As high as a finger needs it, with a little for rounding. */
const TARGET_PX = 40;

const delivers: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0
    ? exec('echo "kept here" > "note-$(date +%N).txt"')
    : say('A note is there.\n\nSWITCHYARD_STATUS: DONE');

let open: OpenDashboard;
let phone: Page;
let context: BrowserContext;
beforeAll(async () => {
  open = await openDashboard({
    script: byPrompt(
      [
        { match: 'case:stuck', script: () => say(`It contradicts itself.\n\n${BLOCKED}`) },
        { match: 'case:question', script: asksQuestion },
        { match: 'case:listen', script: () => exec('sleep 300', 600_000) },
      ],
      delivers,
    ),
    slots: 3,
  });
  const { client } = open.bench;
  await client.createIssue({ title: 'Note apples' });
  await client.settled('SY-1');
  await client.createIssue({ title: 'case:stuck' });
  await client.settled('SY-2');
  await client.createIssue({ title: 'case:question' });
  await client.createIssue({ title: 'case:listen' });
  await client.commandRunning('SY-4');
  await client.issueUntil('SY-3', ({ recentEvents }) => recentEvents.some(asks), 'asks');
  const { identifier } = await client.createIssue({ title: 'Note all fruit', state: 'Backlog' });
  const parts = [{ title: 'Note figs' }, { title: 'Note dates', blockedBy: ['#1'] }];
  await client.must('POST', `/${identifier}/sub-issues`, { subIssues: parts });
  const browser = open.context.browser();
  if (browser === null) throw new Error('no browser');
  context = await browser.newContext({
    baseURL: client.url,
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
  });
  phone = await context.newPage();
}, START_TIMEOUT_MS);
afterAll(async () => {
  await context?.close();
  await open?.close();
});

const asks = ({ type }: { type: string }) => type === 'request.asked';

/**
 * What stands alone and is too low for a finger, each with its size. Links within a sentence and buttons in
 * lines of code are as high as their line. What is hit counts, also what is drawn around it.
 */
const TOO_LOW = `(() => {
  const seen = (one) => one.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });
  const inText = (one) => {
    if (one.matches('.line-comment, .markdown a')) return true;
    if (one.tagName !== 'A' || getComputedStyle(one).display !== 'inline') return false;
    const around = one.closest('p, li, dd, td, small, summary, .note')?.textContent.trim() ?? '';
    return around.length > one.textContent.trim().length;
  };
  const hits = (one, x, y) => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (one.contains(hit));
  };
  const heightOf = (one) => {
    const box = one.getBoundingClientRect();
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const reach = (step) => {
      let px = 0;
      while (px < ${TARGET_PX} && hits(one, x, y + step * (px + 1))) px += 1;
      return px;
    };
    return Math.max(box.height, reach(-1) + reach(1) + 1);
  };
  const all = [...document.querySelectorAll('button, a[href], [role=tab], select')];
  const looked = all.filter((one) => seen(one) && !inText(one));
  const low = [];
  for (const one of looked) {
    one.scrollIntoView({ block: 'center', inline: 'center' });
    const px = Math.round(heightOf(one));
    if (px < ${TARGET_PX}) {
      const name = one.getAttribute('aria-label') ?? one.textContent.trim().slice(0, 40);
      low.push(one.tagName.toLowerCase() + '.' + one.className + ' "' + name + '" ' + px + ' px');
    }
  }
  return { looked: looked.length, low: [...new Set(low)] };
})()`;

const VIEWS = [
  ...dashboardViews('case:stuck').map(([path]) => path),
  '/issues/SY-2',
  '/issues/SY-3',
  '/issues/SY-4',
  '/issues/SY-5',
];

describe('on a phone', () => {
  it.each(VIEWS)('%s has nothing too low for a finger', async (path) => {
    await phone.goto(path);
    await phone.locator('main h1').first().waitFor();
    await phone.locator('.skeleton').first().waitFor({ state: 'detached' });
    const { looked, low } = await phone.evaluate<{ looked: number; low: string[] }>(TOO_LOW);
    await takePicture(phone, `touch${path.replaceAll(/\W+/g, '-')}`);
    // The ways to other views are there at least.
    expect(looked).toBeGreaterThan(4);
    expect(low).toEqual([]);
  });
});
