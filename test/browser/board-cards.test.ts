import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { Stage } from '../support/browser/stage.ts';
import { takePicture } from '../support/browser/take-picture.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';

const START_TIMEOUT_MS = 180_000;
const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const delivers: ReadyScript = ({ stepIndex }) =>
  stepIndex === 0
    ? exec('echo "kept here" > "note-$(date +%N).txt"')
    : say('A note is there.\n\nSWITCHYARD_STATUS: DONE');
const listens: ReadyScript = ({ stepIndex }) =>
  stepIndex > 20 ? say('I waited.') : exec(`sleep 300; echo ${stepIndex}`, 30_000);

const stage = new Stage(mouseHands);
const issues = { merged: '', delivered: '', stopped: '' };
beforeAll(async () => {
  await stage.begin({ script: byPrompt([{ match: 'case:listen', script: listens }], delivers) });
  const { client } = stage;
  const create = async (title: string) => (await client.createIssue({ title })).identifier;
  issues.merged = await create('Note apples');
  issues.delivered = await create('Note pears');
  for (const identifier of [issues.merged, issues.delivered]) {
    expect(await client.settled(identifier)).toMatchObject({ status: 'completed' });
  }
  const { id } = await client.pullRequestOf(issues.merged);
  await client.must('POST', `/local/pull-requests/${id}/merge`);
  await client.issueUntil(issues.merged, ({ state }) => state === 'Done', 'is done');
  issues.stopped = await create('case:listen');
  await client.commandRunning(issues.stopped);
  await client.must('POST', `/${issues.stopped}/abort`);
  expect(await client.settled(issues.stopped)).toMatchObject({ status: 'cancelled' });
}, START_TIMEOUT_MS);
afterAll(() => stage.end());

const card = (identifier: string) =>
  stage.page
    .locator('.card')
    .filter({ has: stage.page.locator(`.card-link[data-identifier="${identifier}"]`) });

it.each(['wide', 'phone'] as const)('a card says how its issue ended (%s)', async (size) => {
  const { page } = stage;
  await page.setViewportSize(SIZES[size]);
  await stage.load('/board');
  const merged = card(issues.merged);
  await merged.getByText('The pull request is merged.').waitFor();
  await merged.getByRole('link', { name: 'PR merged' }).waitFor();
  await merged.locator('.status').getByText('Completed', { exact: true }).waitFor();
  const delivered = card(issues.delivered);
  await delivered.getByRole('link', { name: 'PR', exact: true }).waitFor();
  await delivered.locator('.status').getByText('Review', { exact: true }).waitFor();
  const stopped = card(issues.stopped);
  await stopped.locator('.status').getByText('Stopped', { exact: true }).waitFor();
  await stopped.getByText('Stopped by you').waitFor();
  await merged.scrollIntoViewIfNeeded();
  await takePicture(page, `board-cards-${size}`);
  await stage.load('/');
  const row = page
    .locator('section[aria-labelledby=finished] li')
    .filter({ hasText: issues.merged });
  await row.getByRole('link', { name: 'PR merged' }).waitFor();
  await row.scrollIntoViewIfNeeded();
  await takePicture(page, `recently-finished-${size}`);
  await stage.load(`/issues/${issues.merged}`);
  await page.locator('.issue-state').getByText('The pull request is merged.').waitFor();
  expect(stage.open.problems).toEqual([]);
});

it.each(['wide', 'phone'] as const)(
  'an issue that is stopped was updated then (%s)',
  async (size) => {
    const { page, client } = stage;
    await page.setViewportSize(SIZES[size]);
    const stoppedAt = Date.parse((await client.issue(issues.stopped)).attempts[0]?.endedAt ?? '');
    await stage.load(`/issues/${issues.stopped}`);
    const comment = page.locator('.comments li').filter({ hasText: 'Stopped by you' });
    const updated = page
      .locator('.facts')
      .getByText('Updated')
      .locator('xpath=following-sibling::dd');
    const atMs = async (within: Locator) =>
      Date.parse((await within.locator('time').first().getAttribute('datetime')) ?? '');
    await expect.poll(() => atMs(comment)).toBeGreaterThanOrEqual(stoppedAt);
    await expect.poll(() => atMs(updated)).toBe(await atMs(comment));
    await updated.scrollIntoViewIfNeeded();
    await takePicture(page, `stopped-times-${size}`);
    await stage.load('/');
    const row = page
      .locator('section[aria-labelledby=finished] li')
      .filter({ hasText: issues.stopped });
    await expect.poll(() => atMs(row)).toBeGreaterThanOrEqual(stoppedAt);
  },
);
