import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** A native modal dialog: the browser keeps the focus inside and Escape closes it. */
export function Modal(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  narrow?: boolean;
  /** Without a heading row; the title is only said. */
  plain?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={['modal', props.narrow && 'narrow', props.plain && 'plain'].filter(Boolean).join(' ')}
      aria-labelledby={titleId}
      onClose={props.onClose}
      onMouseDown={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="modal-body">
        <header class={props.plain ? 'visually-hidden' : ''}>
          <h2 id={titleId}>{props.title}</h2>
          <button
            type="button"
            class="icon-button"
            aria-label="Close"
            onClick={() => dialog.current?.close()}
          >
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
