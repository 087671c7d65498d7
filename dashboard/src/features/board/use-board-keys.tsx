import type { Issue } from '@switchyard/shared/api/work/issue';
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { shortcutsOf, useShortcuts } from '../../ui/overlays/shortcuts.ts';
import { type Control, ControlDialog } from '../control/control-dialog.tsx';
import { useRetry } from '../control/use-retry.ts';
import { cardInDirection, focusedIdentifier } from './card-in-direction.ts';

type BoardKeys = {
  issues: readonly Issue[];
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
  search: RefObject<HTMLInputElement | null>;
  onNew: () => void;
};

/**
 * Keyboard shortcuts of the board. Actions apply to the selected issues, otherwise to the focused
 * one.
 */
export function useBoardKeys({ issues, selected, setSelected, search, onNew }: BoardKeys) {
  const retryAll = useRetry();
  const [control, setControl] = useState<{ control: Control; issues: Issue[] } | null>(null);
  const targets = () => {
    const focused = focusedIdentifier();
    return issues.filter((issue) =>
      selected.size > 0 ? selected.has(issue.identifier) : issue.identifier === focused,
    );
  };
  const ask = (kind: Control) => {
    const chosen = targets();
    if (chosen.length > 0) setControl({ control: kind, issues: chosen });
  };
  const toggle = () => {
    const focused = focusedIdentifier();
    if (focused === null) return;
    const next = new Set(selected);
    if (!next.delete(focused)) next.add(focused);
    setSelected(next);
  };
  const retry = () => {
    const chosen = targets();
    if (chosen.length > 0) retryAll(chosen);
  };
  const key = shortcutsOf('Board');
  useShortcuts([
    key('n', 'New issue', onNew),
    key('f', 'Filter the board', () => search.current?.focus()),
    key('j', 'Next card', () => cardInDirection('down')?.focus()),
    key('k', 'Previous card', () => cardInDirection('up')?.focus()),
    key('l', 'Column to the right', () => cardInDirection('right')?.focus()),
    key('h', 'Column to the left', () => cardInDirection('left')?.focus()),
    key('x', 'Select or deselect', toggle),
    key('a', 'Stop', () => ask('abort')),
    key('s', 'Steer', () => ask('steer')),
    key('r', 'Retry', retry),
    key('m', 'Move to another state', () => ask('move')),
    key('Escape', 'Clear the selection', () => setSelected(new Set())),
  ]);
  if (control === null) return null;
  return <ControlDialog {...control} onClose={() => setControl(null)} />;
}
