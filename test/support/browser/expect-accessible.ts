import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What WCAG 2.2 asks up to AA, as far as a program can tell. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

type Violation = { id: string; help: string; nodes: { target: string[]; html: string }[] };

/**
 * Ends when nothing moves any more, also inside components of their own: where one movement ends, an
 * answer that came meanwhile may begin the next with the following frame.
 */
const AT_REST = `(async () => {
  const rootsIn = (root) => [root, ...[...root.querySelectorAll('*')]
    .flatMap((one) => (one.shadowRoot === null ? [] : rootsIn(one.shadowRoot)))];
  const frame = () => new Promise(requestAnimationFrame);
  for (let calmFrames = 0; calmFrames < 3; calmFrames += 1) {
    const moving = rootsIn(document).flatMap((root) => root.getAnimations());
    if (moving.length > 0) calmFrames = -1;
    await Promise.all(moving.map((one) => one.finished.catch(() => 0)));
    await frame();
  }
})()`;

/** Fails with every rule that the page as it is now (in this look) breaks, and where. */
export async function expectAccessible(page: Page, look = ''): Promise<void> {
  // Something that fades in is not yet as bright as it is meant to be.
  await page.evaluate(AT_REST);
  await page.evaluate(`if (window.axe === undefined) { ${axe.source} } 0`);
  const violations = await page.evaluate<Violation[]>(
    `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then((result) => result.violations)`,
  );
  const told = violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    where: nodes.slice(0, 3).map((node) => `${node.target.join(' ')} ${node.html.slice(0, 160)}`),
  }));
  expect(told, `${page.url()} ${look}`).toEqual([]);
}
