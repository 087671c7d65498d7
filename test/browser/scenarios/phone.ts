import { expect, it } from 'vitest';
import { expectAccessible } from '../../support/browser/expect-accessible.ts';
import type { Stage } from '../../support/browser/stage.ts';
import type { Issues } from './work.ts';

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** The views of the work as a phone shows them, with work in them. */
export function phoneScenario(stage: Stage, issues: () => Issues): void {
  it('fits a phone, in the dark too', async () => {
    const { page } = stage;
    const issue = `/issues/${issues().fixed}`;
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    const views = ['/', '/board', issue, `${issue}?view=changes`, `${issue}?view=timeline`];
    for (const path of [...views, '/pull-requests', '/feed']) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      const overhang = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(await page.evaluate<number>(overhang), path).toBeLessThanOrEqual(0);
      await expectAccessible(page);
    }
    await stage.button('More').click();
    const menu = stage.dialog('All views');
    await menu.getByText('Runners').click();
    await page.getByRole('heading', { name: 'Runners', level: 1 }).waitFor();
    await page.setViewportSize(DESK);
    await page.emulateMedia({ colorScheme: null });
    await stage.load('/');
  });
}
