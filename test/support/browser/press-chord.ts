import type { Page } from 'playwright-core';

/** Presses two keys as one goes: both are on their way at once, whatever the page is busy with. */
export async function pressChord(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}
