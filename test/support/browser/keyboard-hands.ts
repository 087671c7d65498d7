import type { Locator, Page } from 'playwright-core';
import { until } from '../e2e/until.ts';
import { type Hands, headingOf, issueHeading } from './hands.ts';
import { pressChord } from './press-chord.ts';

/** The second key of `g` and it; other views are found in the palette. */
const CHORDS: Readonly<Record<string, string>> = {
  Overview: 'o',
  Board: 'b',
  Inbox: 'i',
  'Live feed': 'f',
  'Pull requests': 'p',
  'Merge queue': 'q',
  Costs: 'm',
  Runners: 'r',
  Notifications: 'n',
  Automations: 'a',
  Alerts: 'l',
  Templates: 't',
  Repositories: 'u',
  Configuration: 'c',
  Secrets: 'k',
  Webhooks: 'h',
  Workspaces: 'w',
  Audit: 'd',
  Engine: 'e',
  Settings: ',',
};
/** More than any page has on the way from one control to another. */
const PRESSES_MAX = 250;
/** For a button that is disabled while its answer is awaited, on a loaded machine. */
const FOCUS_BACK_MS = 45_000;
/** Of the way that was gone in vain, for the message. */
const TOLD_STOPS = 12;

/** What has the focus, also inside a component of its own. */
const DEEP_FOCUS = `(() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
})()`;
/** The key that leads from where the focus is towards the target; `here` when it is there. */
const NEXT_KEY = `(() => {
  const target = globalThis.handTarget;
  if (!target?.isConnected) return 'lost';
  const at = ${DEEP_FOCUS};
  if (at === target) return 'here';
  if (at === null || at === document.body) return 'Tab';
  const around = (one) => {
    const root = one.getRootNode();
    return root instanceof ShadowRoot ? [one, ...around(root.host)] : [one];
  };
  const [here, there] = around(at).flatMap((one) => around(target).map((other) => [one, other]))
    .find(([one, other]) => one.getRootNode() === other.getRootNode());
  const isAfter = (here.compareDocumentPosition(there) & Node.DOCUMENT_POSITION_PRECEDING) === 0;
  if (target.type === 'radio' && at.type === 'radio' && at.name === target.name && at.form === target.form)
    return isAfter ? 'ArrowDown' : 'ArrowUp';
  const tabs = target.getAttribute('role') === 'tab' ? target.closest('[role=tablist]') : null;
  if (tabs !== null && tabs.contains(at)) return isAfter ? 'ArrowRight' : 'ArrowLeft';
  return isAfter ? 'Tab' : 'Shift+Tab';
})()`;
/** That key, and what has the focus. */
const STOP = `[${NEXT_KEY}, ${DEEP_FOCUS}?.outerHTML.slice(0, 110) ?? 'nothing']`;
const IS_NOWHERE = `document.activeElement === null || document.activeElement === document.body`;
const IS_TYPING = `document.activeElement?.matches('input:not([type=checkbox], [type=radio]), textarea, select') === true`;
const SENDS_BY_ENTER = `(() => {
  const at = document.activeElement;
  return at?.tagName === 'INPUT' && at.form !== null && at.form === globalThis.handTarget.form;
})()`;
const indexOf = (option: { index: number }) => option.index;
/** Tells the page which control is meant, without touching that. */
const mark = (element: unknown) => void Object.assign(globalThis, { handTarget: element });
const nameOf = (locator: Locator) => locator.toString();

/**
 * Gets everywhere by Tab, arrows and the page's own keys and then presses or types; nothing is
 * focused by a script. Fails when a control cannot be reached, or when an action before has left
 * the focus nowhere.
 */
export function keyboardHands(page: Page): Hands {
  /** What was done last on this page with the focus somewhere; null: there was no focus yet. */
  let before: string | null = null;
  page.on('load', () => {
    before = null;
  });

  async function expectFocus(): Promise<void> {
    const after = before;
    if (after === null) return;
    const nowhere = () => page.evaluate<boolean>(IS_NOWHERE);
    const what = `the focus to be somewhere after ${after}`;
    await until(nowhere, (is) => !is, { what, timeoutMs: FOCUS_BACK_MS });
  }
  async function reach(target: Locator): Promise<void> {
    await target.waitFor();
    const enabled = { what: `${nameOf(target)} to be enabled`, timeoutMs: FOCUS_BACK_MS };
    await until(() => target.isEnabled(), Boolean, enabled);
    await expectFocus();
    await target.evaluate(mark);
    const stops: string[] = [];
    for (let presses = 0; presses < PRESSES_MAX; presses += 1) {
      const [key, at] = await page.evaluate<[key: string, at: string]>(STOP);
      if (key === 'here') return;
      if (key === 'lost') {
        await target.evaluate(mark);
        continue;
      }
      stops.push(`${key} at ${at}`);
      await page.keyboard.press(key);
    }
    const way = stops.slice(-TOLD_STOPS).join('\n');
    throw new Error(
      `no key leads to ${nameOf(target)} on ${page.url()}; the last stops were\n${way}`,
    );
  }
  async function press(control: Locator, key: string): Promise<void> {
    await reach(control);
    before = `${key} on ${nameOf(control)}`;
    await page.keyboard.press(key);
  }
  /** By the palette: `typed` leaves one that is called so. */
  async function find(typed: string, option: Locator): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type(typed);
    await option.and(page.locator('[aria-selected=true]')).waitFor();
    await page.keyboard.press('Enter');
  }

  const hands: Hands = {
    name: 'keyboard',
    async goTo(label) {
      await expectFocus();
      const chord = CHORDS[label];
      // While one types, letters are letters.
      if (chord === undefined || (await page.evaluate<boolean>(IS_TYPING))) {
        await find(label, page.getByRole('option', { name: new RegExp(`^${label}\\b`) }).first());
      } else await pressChord(page, 'g', chord);
      await headingOf(page, label).waitFor();
    },
    async openIssue(identifier) {
      await expectFocus();
      await find(identifier, page.getByRole('option', { name: new RegExp(`^${identifier}\\b`) }));
      await issueHeading(page, identifier).waitFor();
    },
    activate: (control) => press(control, 'Enter'),
    async type(field, text) {
      await press(field, 'Control+A');
      if (text === '') await page.keyboard.press('Delete');
      else await page.keyboard.type(text);
    },
    async choose(select, option) {
      await reach(select);
      const names = await select.locator('option').allTextContents();
      const wanted = names.findIndex((name) => name.trim() === option);
      const chosen = await select.locator('option:checked').evaluate(indexOf);
      if (wanted < 0)
        throw new Error(`${nameOf(select)} offers ${names.join(', ')}, not ${option}`);
      before = `choosing ${option} in ${nameOf(select)}`;
      const key = wanted > chosen ? 'ArrowDown' : 'ArrowUp';
      for (let step = Math.abs(wanted - chosen); step > 0; step -= 1) {
        await page.keyboard.press(key);
      }
    },
    async pick(choice) {
      await reach(choice);
      before = `picking ${nameOf(choice)}`;
      // Arrows choose among radio buttons and tabs by themselves, but not the one they begin at.
      const isPicked = async () =>
        (await choice.getAttribute('role')) === 'tab' || (await choice.isChecked());
      if (!(await isPicked())) await page.keyboard.press('Space');
    },
    async submit(button) {
      const enabled = { what: `${nameOf(button)} to be enabled`, timeoutMs: FOCUS_BACK_MS };
      await until(() => button.isEnabled(), Boolean, enabled);
      await button.evaluate(mark);
      const byEnter = await page.evaluate<boolean>(SENDS_BY_ENTER);
      if (!byEnter) return press(button, 'Enter');
      before = `Enter in the form of ${nameOf(button)}`;
      await page.keyboard.press('Enter');
    },
    async dismiss(dialog) {
      before = `Escape in ${nameOf(dialog)}`;
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    },
  };
  return hands;
}
