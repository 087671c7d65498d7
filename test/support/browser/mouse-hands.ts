import type { Page } from 'playwright-core';
import { type Hands, headingOf, issueHeading } from './hands.ts';

/** Clicks, and types only into what was clicked. */
export function mouseHands(page: Page): Hands {
  const rail = page.getByRole('navigation', { name: 'Main' });
  const hands: Hands = {
    name: 'mouse',
    async goTo(label) {
      // What a link counts is part of its name.
      const link = rail.getByRole('link', { name: new RegExp(`^${label}\\b`) });
      await rail.getByRole('link').first().waitFor();
      // One entry stands for all settings until one of them is open.
      if ((await link.count()) === 0) await rail.getByRole('link', { name: 'Settings' }).click();
      await link.click();
      await headingOf(page, label).waitFor();
    },
    async openIssue(identifier) {
      await hands.goTo('Board');
      await page.locator(`.card-link[data-identifier="${identifier}"]`).click();
      await issueHeading(page, identifier).waitFor();
    },
    activate: (control) => control.click(),
    async type(field, text) {
      await field.click();
      await page.keyboard.press('Control+A');
      if (text === '') await page.keyboard.press('Delete');
      else await page.keyboard.type(text);
    },
    // The list of a select is the browser's own window, which nothing on the page can click.
    async choose(select, option) {
      await select.selectOption({ label: option });
    },
    pick: (choice) => choice.click(),
    submit: (button) => button.click(),
    async dismiss(dialog) {
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
    },
  };
  return hands;
}
