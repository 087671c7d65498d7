import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../icon-button.tsx';

/**
 * A native modal dialog: the browser traps the focus and Escape closes it. `onClose` is called at
 * once, not with the `close` event, which follows a moment later when another dialog may be open.
 */
export function Modal(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  narrow?: boolean;
  /** No heading row; the title is only for screen readers. */
  plain?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const isShown = useRef(false);
  // Opens before the next key can arrive, which belongs to the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    isShown.current = true;
    element?.showModal();
    return () => {
      isShown.current = false;
      element?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={['modal', props.narrow && 'narrow', props.plain && 'plain'].filter(Boolean).join(' ')}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // A field's own `cancel` event, for example of a file chooser, bubbles.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        props.onClose();
      }}
      // Handles a close without a prior `cancel`, as in Chromium at a second Escape.
      onClose={() => isShown.current && props.onClose()}
      onMouseDown={(event) => event.target === dialog.current && props.onClose()}
    >
      <div class="modal-body">
        <header class={props.plain ? 'visually-hidden' : ''}>
          <h2 id={titleId}>{props.title}</h2>
          <IconButton icon="close" label="Close" onClick={props.onClose} />
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
