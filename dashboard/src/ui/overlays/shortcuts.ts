import { useLayoutEffect, useRef } from 'preact/hooks';
import { readStored, writeStored } from '../stored.ts';

export type Shortcut = {
  /** One key (`j`, `/`, `?`, `Enter`) or two in a row (`g b`), as `KeyboardEvent.key` names them. */
  keys: string;
  /** What it does, for the help; a shortcut without one stays out of it. */
  label: string;
  group: string;
  run: () => void;
};

/** Makes the shortcuts of one group of the help. */
export const shortcutsOf =
  (group: string) =>
  (keys: string, label: string, run: () => void): Shortcut => ({ keys, label, group, run });

/** The second key of a chord counts this long after the first. */
const CHORD_MS = 1_500;
const STORED_OFF = 'switchyard.keys-off';
const active: Shortcut[] = [];
let prefix: { key: string; atMs: number } | null = null;
/** How many wait for a field that was asked for and is not there yet. */
let held = 0;

/** While it holds no single key does anything: what is typed is meant for what comes. */
export function useHeldShortcuts(hold: boolean): void {
  useLayoutEffect(() => {
    if (!hold) return;
    held += 1;
    return () => void (held -= 1);
  }, [hold]);
}

/** Holds while the component is there; of two with the same keys the later one wins. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const keys = shortcuts.map((shortcut) => shortcut.keys).join('\n');
  // With what is drawn, not a frame later: a key that is pressed at its sight counts.
  useLayoutEffect(() => {
    const mine = latest.current.map((shortcut) => ({
      ...shortcut,
      run: () => latest.current.find((one) => one.keys === shortcut.keys)?.run(),
    }));
    active.push(...mine);
    return () => {
      for (const shortcut of mine) active.splice(active.indexOf(shortcut), 1);
    };
  }, [keys]);
}

/** What can be pressed on this page now, one per key. */
export function activeShortcuts(): Shortcut[] {
  return [...new Map(active.map((shortcut) => [shortcut.keys, shortcut])).values()];
}

/** Single keys can be switched off, for who speaks to the page or rests a hand on the keyboard. */
export function singleKeysOn(): boolean {
  return readStored(STORED_OFF) === null;
}

export function setSingleKeys(on: boolean): void {
  writeStored(STORED_OFF, on ? null : 'yes');
}

/** Listens for the whole page; returns what stops it. */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (held > 0 || event.isComposing || isTyping(event) || !singleKeysOn()) return;
    const shortcut = shortcutFor(event.key, event.timeStamp);
    if (shortcut === null) return;
    event.preventDefault();
    shortcut.run();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

function shortcutFor(key: string, atMs: number): Shortcut | null {
  const chord = prefix !== null && atMs - prefix.atMs < CHORD_MS ? `${prefix.key} ${key}` : null;
  prefix = null;
  const found =
    active.findLast((shortcut) => shortcut.keys === chord) ??
    active.findLast((shortcut) => shortcut.keys === key);
  if (found !== undefined) return found;
  if (active.some((shortcut) => shortcut.keys.startsWith(`${key} `))) prefix = { key, atMs };
  return null;
}

/** Whatever takes letters, also to find an entry by its first ones. */
const TAKES_LETTERS = [
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit])',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable=false])',
  ...['textbox', 'searchbox', 'combobox', 'listbox', 'menu', 'tree'].map((r) => `[role=${r}]`),
].join();

function isTyping(event: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]') !== null || document.designMode === 'on') return true;
  // Of what lies inside a component of its own, `target` names only that.
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(TAKES_LETTERS) !== null;
}
