import type { ComponentChildren } from 'preact';
import { Modal } from './modal.tsx';
import { Button } from '../button.tsx';

/** Asks before something is done that costs something: a way back, and the one that does it. */
export function Question(props: {
  title: string;
  confirmLabel: string;
  /** It stops or removes something. */
  danger?: boolean | undefined;
  /** It is being done: not a second time. */
  pending?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}) {
  return (
    <Modal title={props.title} narrow onClose={props.onClose}>
      {props.children}
      <footer>
        {/* Of a key that was not meant for the question, nothing comes. */}
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
