import { shortcutsOf, useShortcuts } from '../../ui/overlays/shortcuts.ts';

type LogKeys = {
  field: { current: HTMLInputElement | null };
  step: (by: 1 | -1) => void;
  toEnd: () => void;
  toggleCurrent: () => void;
  linkCurrent: () => void;
};

/** Keyboard shortcuts of a log. */
export function useLogKeys({ field, step, toEnd, toggleCurrent, linkCurrent }: LogKeys): void {
  const key = shortcutsOf('Log');
  useShortcuts([
    key('f', 'Find in the log', () => field.current?.focus()),
    key('j', 'Next line', () => step(1)),
    key('k', 'Previous line', () => step(-1)),
    key('o', 'Open or close the line', toggleCurrent),
    key('y', 'Copy link to the line', linkCurrent),
    key('e', 'Jump to end and follow', toEnd),
  ]);
}
