import type { ComponentChildren, KeyboardEventHandler } from 'preact';
import { Button } from '../button.tsx';
import { Form } from '../forms/form.tsx';
import { Problem } from '../marks/problem.tsx';
import { Modal } from './modal.tsx';

/** A dialog that asks for something and sends it, with a way back. */
export function FormDialog(props: {
  title: string;
  submitLabel: string;
  /** Shown instead while it is being sent. */
  busyLabel?: string;
  pending?: boolean;
  error?: unknown;
  wide?: boolean;
  onSubmit: (form: HTMLFormElement) => void;
  onKeyDown?: KeyboardEventHandler<HTMLFormElement>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { pending = false, submitLabel, onKeyDown = () => {} } = props;
  return (
    <Modal title={props.title} narrow={props.wide !== true} onClose={props.onClose}>
      <Form onSubmit={props.onSubmit} onKeyDown={onKeyDown}>
        {props.children}
        <Problem error={props.error} />
        <footer>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button type="submit" primary disabled={pending}>
            {pending ? (props.busyLabel ?? submitLabel) : submitLabel}
          </Button>
        </footer>
      </Form>
    </Modal>
  );
}
