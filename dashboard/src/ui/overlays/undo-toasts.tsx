import { useLayoutEffect } from 'preact/hooks';
import { Icon } from '../marks/icon.tsx';
import { useShortcuts } from './shortcuts.ts';
import { runAllOnLeave, runNow, undo, usePendingActions } from './run-undoable.ts';
import { Button } from '../button.tsx';

/** The pending actions with their undo buttons, among the toasts. */
export function UndoToasts() {
  const pending = usePendingActions();
  useLayoutEffect(() => runAllOnLeave(), []);
  useShortcuts([
    {
      keys: 'z',
      label: 'Undo the pending action',
      group: 'Everywhere',
      run: () => undo(),
    },
  ]);
  return (
    <>
      {pending.map(({ id, about, text }) => (
        <div key={id} class="toast undo">
          <Icon name="clock" size={14} />
          <span class="grow wrap">{text(about)}</span>
          <Button small onClick={() => runNow(id)}>
            Now
          </Button>
          <Button small primary aria-keyshortcuts="z" onClick={() => undo(id)}>
            Undo <kbd>z</kbd>
          </Button>
          <span class="undo-time" aria-hidden="true" />
        </div>
      ))}
    </>
  );
}
