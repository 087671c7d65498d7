import { useLayoutEffect } from 'preact/hooks';
import { Icon } from '../marks/icon.tsx';
import { useShortcuts } from './shortcuts.ts';
import { doAllWhenLeft, doNow, takeBack, usePending } from './undoable.ts';

/** What is about to happen, each with the way back; stands among the toasts. */
export function UndoToasts() {
  const pending = usePending();
  useLayoutEffect(() => doAllWhenLeft(), []);
  useShortcuts([
    {
      keys: 'z',
      label: 'Undo the pending action',
      group: 'Everywhere',
      run: () => takeBack(),
    },
  ]);
  return (
    <>
      {pending.map(({ id, about, words }) => (
        <div key={id} class="toast undo">
          <Icon name="clock" size={14} />
          <span class="grow wrap">{words(about)}</span>
          <button type="button" class="button small" onClick={() => doNow(id)}>
            Now
          </button>
          <button
            type="button"
            class="button small primary"
            aria-keyshortcuts="z"
            onClick={() => takeBack(id)}
          >
            Undo <kbd>z</kbd>
          </button>
          <span class="undo-time" aria-hidden="true" />
        </div>
      ))}
    </>
  );
}
