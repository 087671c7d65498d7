import { cutText } from '@switchyard/shared/text/cut-text';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Of a page without the line that is looked for. */
const MAX_SHOWN_CHARS = 2_000;

/** Opens a command's output in the log of the issue that a page shows, and answers its text. */
export async function shownOutput(page: Page, command: RegExp, contains: string): Promise<string> {
  const log = page.getByRole('log');
  const line = log.getByRole('button', { name: command }).first();
  await line.waitFor().catch(async (error: unknown) => {
    const shown = cutText(await page.locator('main').innerText(), MAX_SHOWN_CHARS);
    throw new Error(`no line ${command} on ${page.url()}, which shows: ${shown}`, { cause: error });
  });
  const text = log.locator('pre').filter({ hasText: contains }).first();
  // Lines of a log that is written move, also under the pointer.
  const shown = async () => {
    if ((await line.getAttribute('aria-expanded')) === 'false') await line.click();
    return text.isVisible();
  };
  await expect.poll(shown).toBe(true);
  return (await text.textContent()) ?? '';
}

/** No element that only strangers' markup could have made, and no page wider than the window. */
export async function expectHarmless(page: Page, problems: readonly string[]): Promise<void> {
  const strange =
    '#injected, main img, main iframe, body script, a[href^="javascript:"], a[href^="data:"]';
  expect(await page.locator(strange).count()).toBe(0);
  const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
  expect(await page.evaluate<number>(overhang)).toBeLessThanOrEqual(0);
  expect(problems).toEqual([]);
}
