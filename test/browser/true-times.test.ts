import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../../control-plane/scripted-provider/scripted-provider.ts';
import { BLOCKED } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { dashboardViews } from '../support/browser/dashboard-views.ts';
import { fetchRoute } from '../support/browser/fetch-route.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const HOUR_MS = 3_600_000;
/** All answers that end: not the streams. */
const ANSWERS = /\/api\/v1\/(?!events|.*\/live$)/;
/** `Date` tells whole seconds, and a page draws again each second. */
const GRAIN_MS = 3_000;
const BLOCKED_TITLE = 'Cannot be done';
const STOPPED_TITLE = 'Takes for ever';
const ASKING_TITLE = 'Asks something';
const COLOUR = { id: 'colour', header: 'Colour', question: 'Which colour?', options: [] };
const COLOURS = ['Red', 'Blue'].map((label) => ({ label, description: `Take ${label}.` }));

const VIEWS = dashboardViews(BLOCKED_TITLE)
  .map(([path]) => path)
  .filter((path) => path !== '/issues/SY-1/compare');
const ALL_VIEWS = [...VIEWS, '/issues/SY-2', '/issues/SY-2?view=timeline', '/issues/SY-3', '/feed'];

const script: Script = ({ userTexts, stepIndex }) => {
  const task = userTexts.join('\n');
  if (task.includes(STOPPED_TITLE)) return exec('sleep 600', 600_000);
  if (task.includes(ASKING_TITLE)) {
    const questions = [{ ...COLOUR, options: COLOURS }];
    return stepIndex === 0 ? { outputs: [{ type: 'questions', questions }] } : say(BLOCKED);
  }
  return say(`It contradicts itself.\n\n${BLOCKED}`);
};

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({ script, mayRefuse: true });
  ({ page } = open);
  const { client } = open.bench;
  await client.createIssue({ title: BLOCKED_TITLE });
  await client.settled('SY-1');
  await client.createIssue({ title: STOPPED_TITLE });
  await client.commandRunning('SY-2');
  await client.must('POST', '/SY-2/abort');
  await client.settled('SY-2');
  await client.createIssue({ title: ASKING_TITLE });
  await client.issueUntil('SY-3', ({ recentEvents }) => recentEvents.some(asks), 'asks');
  // What asks frees no slot, so nothing else changes while pages are looked at.
  await page.clock.install();
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const asks = ({ type }: { type: string }) => type === 'request.asked';

/** The service's answers say that so much more time has passed there than really has. */
let serviceAheadMs = 0;
async function moveService(byMs: number): Promise<void> {
  serviceAheadMs = byMs;
  await page.unrouteAll({ behavior: 'wait' });
  await page.route(ANSWERS, async (route) => {
    const answer = await fetchRoute(route);
    const date = new Date(Date.now() + byMs).toUTCString();
    await route.fulfill({ response: answer, headers: { ...answer.headers(), date } });
  });
}

async function load(path: string): Promise<void> {
  await page.goto(path);
  await page.locator('main h1').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

type Shown = { at: string; text: string };
const UNIT_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: HOUR_MS,
  d: 24 * HOUR_MS,
};

/** What is wrong with a time as a page shows it; null: nothing. `nowMs` is the service's present. */
function wrongWith({ at, text }: Shown, nowMs: number): string | null {
  const aheadMs = Date.parse(at) - nowMs;
  const told = /^(?:in )?(\d+)([smhd])(?: ago)?$/.exec(text);
  const toldMs = told === null ? 0 : Number(told[1]) * (UNIT_MS[told[2] ?? ''] ?? Number.NaN);
  const says = `"${text}" for ${at}, which is ${Math.round(aheadMs / 1_000)} s ahead`;
  if (text === 'just now' || text === 'now') return aheadMs > GRAIN_MS ? says : null;
  if (text.startsWith('in ')) return toldMs > aheadMs + 60_000 || aheadMs < -60_000 ? says : null;
  if (!text.endsWith(' ago')) return null;
  return toldMs > -aheadMs + GRAIN_MS ? says : null;
}

const shownTimes = () =>
  page.evaluate<Shown[]>(`[...document.querySelectorAll('time')].map((one) => ({
    at: one.getAttribute('datetime'), text: one.textContent.trim() }))`);

const text = () => page.evaluate<string>('document.body.innerText');

describe('every view of a browser whose clock is another than the service’s', () => {
  beforeAll(async () => {
    await page.clock.setSystemTime(Date.now() + 7 * HOUR_MS);
  });

  it.each(ALL_VIEWS)('%s tells times by the clock of the service', async (path) => {
    await load(path);
    const wrong = async () => {
      const times = await shownTimes();
      return times.flatMap((time) => wrongWith(time, Date.now()) ?? []);
    };
    await expect.poll(wrong, { timeout: 30_000 }).toEqual([]);
    expect(await text()).not.toMatch(/\b\d+h ago/);
    expect(open.problems).toEqual([]);
  });
});

describe('every view after five hours', () => {
  beforeAll(async () => {
    await page.clock.setSystemTime(Date.now());
    await moveService(5 * HOUR_MS);
  });

  it.each(ALL_VIEWS)('%s says of nothing that it is now', async (path) => {
    await load(path);
    // All that happened did so at least five hours ago; the lease of what runs ended a little later.
    const recent = async () => {
      const times = await shownTimes();
      return times.filter(({ text: words }) => /^just now$|^\d+[sm] ago$|^[1-3]h ago$/.test(words));
    };
    await expect.poll(recent, { timeout: 30_000 }).toEqual([]);
    const times = await shownTimes();
    const nowMs = Date.now() + serviceAheadMs;
    expect(times.flatMap((time) => wrongWith(time, nowMs) ?? [])).toEqual([]);
    expect(open.problems).toEqual([]);
  });

  it('sees a runner without work, which needs no lease', async () => {
    const { client } = open.bench;
    await client.must('POST', '/SY-3/abort');
    await client.settled('SY-3');
    await load('/runners');
    const runner = page.locator('.runner').first();
    await runner.getByText('None needed').waitFor();
    const facts = await runner.locator('dl').first().innerText();
    expect(facts).toMatch(/Last seen\s+Now/);
    expect(facts).not.toMatch(/Expired/);
    await takePicture(page, 'idle-runner');
  });

  it('counts on for how long the service is up', async () => {
    await load('/setup');
    await page.getByText(/up for 5h \d\dm/).waitFor();
  });

  it('shows a command of a stopped attempt as stopped, its clock standing', async () => {
    await load('/issues/SY-2');
    const command = page.locator('.item-command').filter({ hasText: 'sleep 600' }).first();
    await command.getByText('stopped').waitFor();
    const took = await command.locator('.item-time').innerText();
    await moveService(6 * HOUR_MS);
    await page.clock.fastForward(HOUR_MS);
    expect(await command.locator('.item-time').innerText()).toBe(took);
    expect(await page.locator('.badge.running').count()).toBe(0);
    await takePicture(page, 'stopped-attempt');
  });

  it('shows the attempt of a blocked issue as blocked, in header, list and timeline', async () => {
    await load('/issues/SY-1');
    const marks = page.locator('.attempt-head .status, .attempts .status');
    expect(await marks.allInnerTexts()).toEqual(['Blocked', 'Blocked']);
    expect(await page.locator('.status-completed').count()).toBe(0);
    await takePicture(page, 'blocked-attempt');
    await load('/issues/SY-1?view=timeline');
    expect(await page.locator('.lane-head .status').allInnerTexts()).toEqual(['Blocked']);
  });
});

describe('an issue that is blocked', () => {
  it('says once why, and leads to the box for the answer', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await load('/issues/SY-1');
    const state = page.locator('.issue-state');
    expect((await state.locator('.tag').innerText()).trim()).toBe('In Progress');
    const cut = 'document.querySelector(".issue-state .tag")';
    expect(await page.evaluate(`${cut}.scrollWidth > ${cut}.clientWidth`)).toBe(false);
    const notice = page.getByRole('region', { name: 'What to do' });
    await notice.getByText('It contradicts itself.', { exact: true }).waitFor();
    expect(await state.innerText()).not.toContain('It contradicts itself.');
    expect(await text()).not.toContain('to go on: the agent is blocked');
    const box = page.getByRole('textbox', { name: 'Comment' });
    await box.waitFor();
    await notice.getByRole('button', { name: 'Write a comment' }).click();
    await expect
      .poll(() => box.evaluate((field) => field === field.ownerDocument.activeElement))
      .toBe(true);
    const below = 'document.activeElement.getBoundingClientRect().bottom - innerHeight';
    await expect.poll(() => page.evaluate<number>(below)).toBeLessThanOrEqual(0);
    await takePicture(page, 'blocked-issue');
  });
});

describe('a provider that is not reached', () => {
  it('has refused nothing', async () => {
    await page.unrouteAll({ behavior: 'wait' });
    await load('/setup?step=provider');
    await page.getByText('API key', { exact: true }).first().click();
    await page.locator('input[name=baseUrl]').fill('http://no-such-host.invalid/v1');
    await page.locator('input[name=apiKey]').fill('sk-some-key');
    await page.locator('.wizard-step form button[type=submit]').first().click();
    const told = page.getByText(/no-such-host\.invalid cannot be reached from here: its name/);
    await told.first().waitFor();
    expect(await told.first().innerText()).not.toContain('refused');
    await takePicture(page, 'unknown-provider');
  });
});
