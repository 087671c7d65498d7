import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Marks what a person may act on in the page's main part, or in the dialog that lies over it. */
const MARK = `(() => {
  const dialog = document.querySelector('dialog[open]');
  const main = dialog ?? document.querySelector('main');
  document.querySelectorAll('[data-reach]').forEach((one) => one.removeAttribute('data-reach'));
  const all = [...main.querySelectorAll('a[href], button, input, select, textarea, summary')];
  const shown = all.filter((one) =>
    !one.disabled && one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }) &&
    one.closest('[inert]') === null && isOfItsGroup(one));
  function isOfItsGroup(one) {
    if (one.type !== 'radio') return true;
    const group = [...main.querySelectorAll('input[type=radio]')].filter((other) => other.name === one.name);
    return one === (group.find((other) => other.checked) ?? group[0]);
  }
  shown.forEach((one, index) => one.setAttribute('data-reach', String(index)));
  if (dialog === null) main.focus();
  return shown.map((one) => one.outerHTML.slice(0, 120));
})()`;

const FOCUSED = `document.activeElement?.getAttribute('data-reach') ?? null`;

/** More than any view has; a page that keeps the focus to itself ends there. */
const SPARE_TABS = 40;
/** A page may draw itself anew while answers come in; the way through it then begins anew. */
const WALKS_MAX = 5;

/** Whether something that was marked is not on the page any more. */
const hasLost = (count: number) => `document.querySelectorAll('[data-reach]').length < ${count}`;

/** Fails unless Tab alone leads to every control of the page's main part, or of its open dialog. */
export async function expectReachableByKeyboard(page: Page): Promise<void> {
  let missed = await missedByTab(page);
  for (let walks = 1; missed === 'redrawn' && walks < WALKS_MAX; walks += 1) {
    missed = await missedByTab(page);
  }
  expect(missed, page.url()).toEqual([]);
}

/** The controls that Tab does not lead to, or that the page replaced some on the way. */
async function missedByTab(page: Page): Promise<string[] | 'redrawn'> {
  const controls = await page.evaluate<string[]>(MARK);
  const reached = new Set<string>();
  for (let tabs = 0; tabs < controls.length + SPARE_TABS; tabs += 1) {
    if (reached.size === controls.length) break;
    await page.keyboard.press('Tab');
    const mark = await page.evaluate<string | null>(FOCUSED);
    if (mark !== null) reached.add(mark);
  }
  const missed = controls.filter((_html, index) => !reached.has(String(index)));
  if (missed.length === 0) return missed;
  return (await page.evaluate<boolean>(hasLost(controls.length))) ? 'redrawn' : missed;
}
