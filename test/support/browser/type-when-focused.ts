import type { Page } from 'playwright-core';

/** Types like a person: once the page has put the cursor into a field. */
export async function typeWhenFocused(page: Page, text: string): Promise<void> {
  await page.locator('input:focus, textarea:focus').waitFor();
  await page.keyboard.type(text);
}
