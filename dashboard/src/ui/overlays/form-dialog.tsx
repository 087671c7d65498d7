import type { ComponentChildren, KeyboardEventHandler } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../button.tsx';
import { Form } from '../forms/form.tsx';
import { useKeptForm } from '../forms/form-draft.ts';
import type { Sending } from '../forms/submit-row.tsx';
import { Problem } from '../marks/problem.tsx';
import { Modal } from './modal.tsx';

/** A dialog with a form that is sent, and a cancel button. */
export function FormDialog(props: {
  title: string;
  submitLabel: string;
  /** Label of the button while the form is being sent. */
  busyLabel?: string;
  /** The mutation that sends the form; left out where nothing is sent. */
  of?: Sending;
  wide?: boolean;
  /** Name of the draft in which the content is stored until it is sent or discarded. */
  draft?: string;
  /** Discards a draft that the caller stores itself; null: there is none. */
  onDiscard?: (() => void) | null;
  onSubmit: (form: HTMLFormElement) => void;
  onKeyDown?: KeyboardEventHandler<HTMLFormElement>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { of = { isPending: false, error: null }, submitLabel, onKeyDown = () => {} } = props;
  const form = useRef<HTMLFormElement>(null);
  const { kept, discard } = useKeptForm(form, props.draft ?? null);
  const onDiscard = kept ? discard : (props.onDiscard ?? null);
  return (
    <Modal title={props.title} narrow={props.wide !== true} onClose={props.onClose}>
      <Form formRef={form} onSubmit={props.onSubmit} onKeyDown={onKeyDown}>
        {props.children}
        <Problem error={of.error} />
        <footer>
          {onDiscard !== null && (
            <>
              <Button onClick={onDiscard}>Discard draft</Button>
              <span class="spacer" />
            </>
          )}
          <Button onClick={props.onClose}>Cancel</Button>
          <Button type="submit" primary disabled={of.isPending}>
            {of.isPending ? (props.busyLabel ?? submitLabel) : submitLabel}
          </Button>
        </footer>
      </Form>
    </Modal>
  );
}
