import type { Page } from 'playwright-core';

/** Moving on, and what is held down with another key, does nothing by itself. */
const QUIET_KEYS = [
  'Tab',
  'Shift',
  'Control',
  'Alt',
  'Meta',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
];

/**
 * Counts what a person does: presses of the mouse, and of keys that do something. Letters that are
 * typed into a field are none, and of two keys in a row (`g b`) only the second one counts.
 */
const COUNT = `(() => {
  globalThis.handClicks = 0;
  const quiet = new Set(${JSON.stringify(QUIET_KEYS)});
  const typed = (event) => event.key.length === 1 && event.key !== ' '
    && event.target.matches?.('input:not([type=checkbox], [type=radio]), textarea') === true;
  const blank = (event) => event.key === ' ' && event.target.matches?.('input[type=text], input:not([type]), textarea') === true;
  addEventListener('pointerdown', (event) => { if (event.isTrusted) globalThis.handClicks += 1; }, true);
  addEventListener('keydown', (event) => {
    if (!event.isTrusted || quiet.has(event.key) || typed(event) || blank(event)) return;
    if (event.key === 'g' && !event.ctrlKey) return;
    globalThis.handClicks += 1;
  }, true);
})()`;

/** From the next page that is loaded; answers what tells how many there were since then. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(COUNT);
  return () => page.evaluate<number>('globalThis.handClicks');
}
