import { expect, it } from 'vitest';
import { pressChord } from '../../support/browser/press-chord.ts';
import type { Stage } from '../../support/browser/stage.ts';
import { typeWhenFocused } from '../../support/browser/type-when-focused.ts';
import type { Issues } from './work.ts';

/** What is done by keys that stand for something. */
export function keyboardWays(stage: Stage, issues: () => Issues): void {
  const focused = () =>
    stage.page.evaluate<string | null>('document.activeElement?.dataset?.identifier ?? null');
  const inColumn = (column: string, identifier: string) =>
    stage.page
      .getByRole('region', { name: column, exact: true })
      .getByText(identifier, { exact: true });

  it('goes everywhere with two letters, and lists the keys', async () => {
    const { page, hands } = stage;
    await pressChord(page, 'g', 'f');
    await page.getByRole('heading', { name: 'Live feed', level: 1 }).waitFor();
    await page.keyboard.press('?');
    const help = stage.dialog('Keyboard shortcuts');
    await help.getByText('Go to Board').waitFor();
    await stage.inspect();
    await hands.dismiss(help);
  });

  it('finds an issue in the palette', async () => {
    const { page } = stage;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await typeWhenFocused(page, 'durations');
    await page.getByRole('option', { name: /Durations come out wrong/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Durations come out wrong' }).waitFor();
  });

  it('moves over the board, selects and moves an issue, and stays with it', async () => {
    const { page, hands } = stage;
    const { listening, idle } = issues();
    await pressChord(page, 'g', 'b');
    // All columns, whichever comes last: keys move among the cards that are there.
    await inColumn('Backlog', idle).waitFor();
    await inColumn('In Progress', listening).waitFor();
    await page.keyboard.press('j');
    const first = await focused();
    expect(first).not.toBe(null);
    await page.keyboard.press('l');
    expect(await focused()).toBe(listening);
    await page.keyboard.press('h');
    expect(await focused()).toBe(first);
    await page.keyboard.press('x');
    const selection = page.getByRole('toolbar', { name: 'Selected issues' });
    await selection.getByText('1 selected').waitFor();
    await page.keyboard.press('m');
    const move = stage.dialog(`Move ${first} to`);
    await hands.activate(move.getByRole('button', { name: 'Canceled' }));
    await move.waitFor({ state: 'detached' });
    await inColumn('Canceled', first ?? '').waitFor();
    await expect.poll(focused).toBe(first);
    await page.keyboard.press('Escape');
    await selection.waitFor({ state: 'detached' });
  });

  it('searches the log, links to a line, and steers', async () => {
    const { page, hands } = stage;
    await hands.openIssue(issues().fixed);
    const log = page.getByRole('log');
    await log.getByText('Ended', { exact: true }).waitFor();
    await page.keyboard.press('f');
    await typeWhenFocused(page, 'err_assertion');
    await page.getByText(/^0 of \d+$/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^1 of \d+$/).waitFor();
    const current = page.locator('.log-slot.current');
    await current.getByText('ERR_ASSERTION').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('y');
    await page.waitForURL(/line=item/);
    await page.reload();
    await current.getByText('node --test').first().waitFor();
    await hands.openIssue(issues().listening);
    await log.getByText('sleep 300').first().waitFor();
    await page.keyboard.press('s');
    await typeWhenFocused(page, 'Hurry up');
    await page.keyboard.press('Control+Enter');
    await stage.said(/Message sent|Message queued/);
  });
}
