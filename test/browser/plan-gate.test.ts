import { READS_ONLY } from '@switchyard/shared/model-providers/scripted-model';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../control-plane/scripted-provider/provider-request.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { hostileMarkdown } from '../support/browser/hostile-content.ts';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { expectHarmless } from '../support/browser/shown-output.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
/** What reaches out of its panel, long titles for example, which the page itself would cut. */
const OVERHANG = `[...document.querySelectorAll('.panel.asking')]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute('aria-label'))`;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };

const PLAN = `## Steps
1. Round durations down in \`src/duration.js\`.
2. Run the tests again.

## Files
- \`src/duration.js\`
- \`src/${'a-very-long-name-'.repeat(12)}.js\`

## Risks
- Reports that rely on rounding up will show one second less.

\`\`\`js
${'round(seconds); '.repeat(14)}
\`\`\`

${'It may also be that durations are stored somewhere else. '.repeat(40)}

## Questions
- Which unit should short durations have?

## Estimate
- One line, and quite sure.`;
const OTHER_PLAN = '## Steps\n1. Keep the tests as they are.\n\n## Estimate\n- One line.';
const QUESTION = 'Which unit should short durations have?';
const WISH = 'Leave the tests alone.';

const works = fixFailingTest();
/** Makes a plan where one is asked for, another one after `WISH`, and otherwise does the work. */
const script = (request: ProviderRequest) => {
  const asked = request.userTexts.findLast((text) => text.includes('SWITCHYARD_STATUS')) ?? '';
  if (!asked.includes(READS_ONLY)) return works(request);
  const isHostile = asked.includes('case:hostile');
  const plan = isHostile ? hostileMarkdown : asked.includes(WISH) ? OTHER_PLAN : PLAN;
  return say(`${plan}\n\nSWITCHYARD_STATUS: DONE`);
};

let open: OpenDashboard;
let page: Page;
/** Everything that agents were told so far. */
const promptsOf = () => open.bench.provider.requests.flatMap(({ userTexts }) => userTexts);

beforeAll(async () => {
  open = await openDashboard({ script, config: { 'agent.plan.mode': 'ask' } });
  ({ page } = open);
  for (const title of [
    `Round them down ${'and-down'.repeat(20)}`,
    'Round them up',
    'case:hostile',
    'By keyboard',
  ]) {
    await planned((await open.bench.client.createIssue({ title })).identifier);
  }
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

async function planned(identifier: string): Promise<void> {
  const waits = ({ reasonCode }: { reasonCode: string | null }) => reasonCode === 'plan_waiting';
  await open.bench.client.issueUntil(identifier, waits, 'waits with its plan');
}

async function load(path: string): Promise<void> {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
}

const waiting = (identifier: string) =>
  page.getByRole('region', { name: `Plan for ${identifier}` });
const dialog = (name: string) => page.getByRole('dialog', { name });
const receipt = (identifier: string) =>
  page.locator('.receipts li').filter({ has: page.getByRole('link', { name: identifier }) });

describe('a plan that waits', () => {
  it('is told as a plan, not as a question and a blocked issue', async () => {
    await load('/');
    const row = page.locator('.rows > li').filter({ hasText: 'SY-1' });
    await row.getByRole('link', { name: 'A plan waits for approval' }).waitFor();
    expect(await row.getByText(/^Also /).count()).toBe(0);
    await takePicture(page, 'plan-overview');
    await row.getByRole('link', { name: 'Decide' }).click();
    await waiting('SY-1').getByRole('heading', { name: 'Plan for approval' }).waitFor();
    expect(await page.getByText('Approve the plan, or say').count()).toBe(0);
    await load('/board');
    await page.locator('.card').getByText('A plan waits for approval').first().waitFor();
    await takePicture(page, 'plan-board');
  });

  it('is read in the inbox, also by the keyboard, and does nothing of what it says', async () => {
    await load('/requests');
    const steps = waiting('SY-1').getByRole('region', { name: 'Plan text of' });
    await steps.getByRole('heading', { name: 'Steps' }).waitFor();
    await steps.getByRole('listitem').filter({ hasText: 'Run the tests again.' }).waitFor();
    await waiting('SY-1').getByText(QUESTION).last().waitFor();
    await waiting('SY-3').getByText('<img src=x').first().waitFor();
    await expectHarmless(page, open.problems);
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
    await takePicture(page, 'plan-inbox');
    expect(await page.evaluate(OVERHANG)).toEqual([]);
    await load('/issues/SY-1');
    const asked = page.getByRole('region', { name: 'Plan from the agent' });
    await asked.getByRole('button', { name: 'Send back' }).scrollIntoViewIfNeeded();
    await page.getByRole('log').waitFor();
    await takePicture(page, 'plan-issue-long');
    // Only the plan scrolls, beside its log.
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    expect(
      await page.evaluate(
        'document.querySelector(".issue").getBoundingClientRect().bottom <= innerHeight',
      ),
    ).toBe(true);
    await expectAccessible(page);
    await load('/issues/SY-3');
    await asked.getByText('run me').waitFor();
    await expectHarmless(page, open.problems);
    await takePicture(page, 'plan-issue');
  });

  it('fits a phone, in the dark too', async () => {
    await page.setViewportSize(PHONE);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await load('/requests');
      await waiting('SY-1').waitFor();
      await waiting('SY-1').getByRole('button', { name: 'Edit' }).click();
      await expectHarmless(page, open.problems);
      await expectAccessible(page, colorScheme);
      await takePicture(page, `plan-editor-phone-${colorScheme}`);
      await waiting('SY-1').getByRole('button', { name: 'Cancel' }).click();
      await waiting('SY-1').scrollIntoViewIfNeeded();
      await takePicture(page, `plan-inbox-phone-${colorScheme}`);
      expect(await page.evaluate(OVERHANG)).toEqual([]);
    }
    await load('/issues/SY-1');
    await page.getByRole('region', { name: 'Plan from the agent' }).waitFor();
    await expectHarmless(page, open.problems);
    await takePicture(page, 'plan-issue-phone');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(DESKTOP);
  });

  it('is edited, which a reload keeps and a person is asked about before it is lost', async () => {
    await load('/requests');
    const plan = waiting('SY-1');
    const editor = plan.getByRole('textbox', { name: 'Plan in Markdown' });
    await plan.getByRole('textbox', { name: QUESTION }).fill('Milliseconds');
    await plan.getByRole('button', { name: 'Edit' }).click();
    expect(await editor.inputValue()).toBe(PLAN);
    await page.locator('textarea:focus').waitFor();
    // Nothing was changed, so nothing is lost.
    await plan.getByRole('button', { name: 'Cancel' }).click();
    await editor.waitFor({ state: 'detached' });
    await plan.getByRole('button', { name: 'Edit' }).click();
    await editor.fill('1. Round them down, and nothing else.');
    await takePicture(page, 'plan-edited');
    await load('/requests');
    await expect.poll(() => editor.inputValue()).toBe('1. Round them down, and nothing else.');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
    await plan.getByRole('button', { name: 'Cancel' }).click();
    await dialog('Discard your changes').getByRole('button', { name: 'Cancel' }).click();
    expect(await editor.inputValue()).toBe('1. Round them down, and nothing else.');
    await editor.fill(' ');
    expect(await plan.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await editor.fill('1. Round them down, and nothing else.');
  });

  it('is approved as edited, and worked on by that', async () => {
    const { client } = open.bench;
    await waiting('SY-1').getByRole('button', { name: 'Approve' }).click();
    await page.locator('.toast').filter({ hasText: 'Plan approved' }).waitFor();
    await waiting('SY-1').waitFor({ state: 'detached' });
    await receipt('SY-1').getByText('Plan approved as edited').waitFor();
    await receipt('SY-1').getByText('Milliseconds').waitFor();
    expect(await receipt('SY-1').getByText('agent resumed').count()).toBe(0);
    expect(await client.settled('SY-1')).toMatchObject({ status: 'completed' });
    const prompts = promptsOf().filter((text) => text.includes('## The approved plan'));
    expect(prompts.at(-1)).toContain('1. Round them down, and nothing else.');
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('Round them');
    await load('/issues/SY-1');
    const attempts = page.getByRole('complementary').locator('.attempt');
    await attempts.filter({ hasText: '#1' }).getByText('plan', { exact: true }).waitFor();
    expect(
      await attempts.filter({ hasText: '#2' }).getByText('plan', { exact: true }).count(),
    ).toBe(0);
    await attempts.filter({ hasText: '#1' }).click();
    await page.locator('.attempt-head').getByText('plan', { exact: true }).waitFor();
    await takePicture(page, 'plan-attempts');
  });

  it('is sent back with what should be different, and handed in anew', async () => {
    await load('/requests');
    const plan = waiting('SY-2');
    const wish = plan.getByRole('textbox', { name: 'What should be different?' });
    const sendBack = plan.getByRole('button', { name: 'Send back' });
    expect(await sendBack.isDisabled()).toBe(true);
    await wish.fill('Approve.');
    await plan.getByText('use the button Approve').waitFor();
    expect(await sendBack.isDisabled()).toBe(true);
    await wish.fill(WISH);
    await load('/requests');
    await expect.poll(() => wish.inputValue()).toBe(WISH);
    await plan.getByRole('button', { name: 'Approve' }).click();
    await takePicture(page, 'plan-approve-asks');
    await dialog('Approve without').getByRole('button', { name: 'Cancel' }).click();
    await plan.getByRole('button', { name: 'Edit' }).click();
    await plan.getByRole('textbox', { name: 'Plan in Markdown' }).fill('Mine.');
    await sendBack.click();
    await dialog('Send back without').getByRole('button', { name: 'Send back' }).click();
    await receipt('SY-2').getByText(`Plan sent back: ${WISH}`).waitFor();
    await waiting('SY-2').getByText('Keep the tests as they are.').waitFor();
    expect(await wish.inputValue()).toBe('');
    await receipt('SY-2').getByText('Plan', { exact: true }).click();
    await receipt('SY-2').getByText('Run the tests again.').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'plan-receipts');
  });

  it('says that its issue has changed', async () => {
    const { client } = open.bench;
    await client.must('PATCH', '/local/issues/SY-2', { description: 'Both ways, please.' });
    await load('/requests');
    await waiting('SY-2').getByText('The issue has changed since this plan was begun.').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'plan-stale');
  });

  it('is decided by the keyboard alone', async () => {
    const hands = keyboardHands(page);
    await load('/requests');
    const plan = waiting('SY-4');
    const editor = plan.getByRole('textbox', { name: 'Plan in Markdown' });
    const answer = plan.getByRole('textbox', { name: QUESTION });
    await hands.type(answer, 'Seconds');
    // Enter in an answer does not begin the work.
    await page.keyboard.press('Enter');
    await hands.activate(plan.getByRole('button', { name: 'Edit' }));
    await hands.type(editor, '1. By keyboard.');
    await hands.activate(plan.getByRole('button', { name: 'Cancel' }));
    const question = dialog('Discard your changes');
    await hands.activate(question.getByRole('button', { name: 'Discard' }));
    await plan.getByRole('region', { name: 'Plan text of' }).waitFor();
    await hands.type(plan.getByRole('textbox', { name: 'What should be different?' }), WISH);
    await hands.activate(plan.getByRole('button', { name: 'Send back' }));
    await plan.getByText('Keep the tests as they are.').waitFor();
    await hands.activate(plan.getByRole('button', { name: 'Approve' }));
    await plan.waitFor({ state: 'detached' });
    expect(await open.bench.client.settled('SY-4')).toMatchObject({ status: 'completed' });
  });

  it('worried nobody with open developer tools', () => expect(open.problems).toEqual([]));
});
