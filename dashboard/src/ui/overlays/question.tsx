import type { ComponentChildren } from 'preact';
import { Modal } from './modal.tsx';
import { Button } from '../button.tsx';

/** Asks for confirmation of a costly action, with a cancel button and one that proceeds. */
export function Question(props: {
  title: string;
  confirmLabel: string;
  /** The action stops or removes something. */
  danger?: boolean | undefined;
  /** The action is running and cannot be started again. */
  pending?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}) {
  return (
    <Modal title={props.title} narrow onClose={props.onClose}>
      {props.children}
      <footer>
        {/* Cancel has the focus, so that a key meant for something else does nothing. */}
        <Button autoFocus onClick={props.onClose}>
          Cancel
        </Button>
        <button
          type="button"
          class={props.danger ? 'button danger' : 'button primary'}
          disabled={props.pending ?? false}
          onClick={props.onConfirm}
        >
          {props.confirmLabel}
        </button>
      </footer>
    </Modal>
  );
}
