import { useLayoutEffect, useRef } from 'preact/hooks';
import { readStored, writeStored } from '../stored.ts';

export type Shortcut = {
  /**
   * One key (`j`, `/`, `?`, `Enter`) or two in sequence (`g b`), as `KeyboardEvent.key` names them.
   */
  keys: string;
  /** Description for the help and the command palette. */
  label: string;
  group: string;
  run: () => void;
};

/** Creates the shortcuts of one group of the help. */
export const shortcutsOf =
  (group: string) =>
  (keys: string, label: string, run: () => void): Shortcut => ({ keys, label, group, run });

/** Time for the second key of a chord after the first. */
const CHORD_MS = 1_500;
const STORED_OFF = 'switchyard.keys-off';
const active: Shortcut[] = [];
let prefix: { key: string; atMs: number } | null = null;
/** Number of components that wait for a field which is not yet on the page. */
let held = 0;

/**
 * Suspends single-key shortcuts while `hold` is true: typed keys are meant for the awaited field.
 */
export function useHeldShortcuts(hold: boolean): void {
  useLayoutEffect(() => {
    if (!hold) return;
    held += 1;
    return () => void (held -= 1);
  }, [hold]);
}

/**
 * Registers shortcuts while the component is on the page; of two with the same keys the later one
 * wins.
 */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const keys = shortcuts.map((shortcut) => shortcut.keys).join('\n');
  // Registered with the drawing, not a frame later: a key pressed at once must work.
  useLayoutEffect(() => {
    const own = latest.current.map((shortcut) => ({
      ...shortcut,
      run: () => latest.current.find((one) => one.keys === shortcut.keys)?.run(),
    }));
    active.push(...own);
    return () => {
      for (const shortcut of own) active.splice(active.indexOf(shortcut), 1);
    };
  }, [keys]);
}

/** The shortcuts that are active on this page now, one per key. */
export function activeShortcuts(): Shortcut[] {
  return [...new Map(active.map((shortcut) => [shortcut.keys, shortcut])).values()];
}

/**
 * Whether single-key shortcuts are on; people who use voice control or rest a hand on the keyboard
 * can turn them off.
 */
export function singleKeysOn(): boolean {
  return readStored(STORED_OFF) === null;
}

export function setSingleKeys(on: boolean): void {
  writeStored(STORED_OFF, on ? null : 'yes');
}

/** Listens for shortcuts on the complete page; returns a function that stops it. */
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

/** Controls that accept letters, also those that find an entry by its first letters. */
const TAKES_LETTERS = [
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit])',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable=false])',
  ...['textbox', 'searchbox', 'combobox', 'listbox', 'menu', 'tree'].map((r) => `[role=${r}]`),
].join();

function isTyping(event: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]') !== null || document.designMode === 'on') return true;
  // For an element inside a web component, `target` is only the component.
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(TAKES_LETTERS) !== null;
}
