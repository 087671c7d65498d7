import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { exec, say } from '../../control-plane/scripted-provider/step.ts';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { Stage } from '../support/browser/stage.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 390, height: 844 };
const WAITING = 'by you · sent, not read yet';

const stage = new Stage(mouseHands);
let folder = '';
let gate = '';
let issue = '';

/** Works until the gate is open, then asks the model again, then works on. */
const waits: ReadyScript = ({ stepIndex }) => {
  if (stepIndex > 20) return say('I waited.');
  const isGated = stepIndex === 0;
  return exec(isGated ? `until [ -e ${gate} ]; do sleep 0.2; done` : 'sleep 300', 600_000);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-gate-'));
  gate = join(folder, 'open');
  await stage.begin({ script: waits, slots: 1 });
  issue = (await stage.client.createIssue({ title: 'Wait for me' })).identifier;
  await stage.client.commandRunning(issue);
}, START_TIMEOUT_MS);
afterAll(async () => {
  await stage.end();
  await rm(folder, { recursive: true, force: true });
});

const message = (page: Page, text: string) =>
  page.getByRole('log').locator('.item-user_message').filter({ hasText: text });

it('a message to an agent that is busy stands in the log at once, in every tab', async () => {
  const { page, hands } = stage;
  const other = await stage.open.context.newPage();
  await other.goto(`/issues/${issue}`);
  await hands.openIssue(issue);
  await page.locator('main textarea').fill('Mind the gap');
  await page.keyboard.press('Control+Enter');
  for (const tab of [page, other]) {
    await message(tab, 'Mind the gap').getByText(WAITING).waitFor();
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await takePicture(page, 'message-waits');
  await page.reload();
  await message(page, 'Mind the gap').getByText(WAITING).waitFor();
  await page.setViewportSize(PHONE);
  await message(page, 'Mind the gap').scrollIntoViewIfNeeded();
  await takePicture(page, 'message-waits-phone');
  await writeFile(gate, '');
  for (const tab of [page, other]) {
    await message(tab, 'Mind the gap').getByText('by you · read by the agent').waitFor();
    expect(await message(tab, 'Mind the gap').count()).toBe(1);
  }
  await takePicture(page, 'message-taken-phone');
  await other.close();
});

it('a message that nobody has read when the work is stopped says so', async () => {
  const { page, client } = stage;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('log').getByText('sleep 300').first().waitFor();
  await client.must('POST', `/local/issues/${issue}/comments`, { body: 'Too late' });
  await message(page, 'Too late').getByText(WAITING).waitFor();
  await client.must('POST', `/${issue}/abort`);
  await message(page, 'Too late').getByText('not read, kept for the next attempt').waitFor();
  await takePicture(page, 'message-left');
  await stage.inspect();
  expect(stage.open.problems).toEqual([]);
});
