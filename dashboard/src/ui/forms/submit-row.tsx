import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../marks/icon.tsx';
import { Problem } from '../marks/problem.tsx';

/** The used part of the mutation that sends a form. */
export type Sending = { isPending: boolean; error: unknown };

/** The foot of a form: the error, the submit button, and further actions. */
export function SubmitRow(props: {
  label: string;
  /** Label of the button while a response is awaited. */
  busy: string;
  /** The mutation that sends the form. */
  of: Sending;
  icon?: IconName;
  /** Not the main action of the page. */
  plain?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <>
      <Problem error={props.of.error} />
      <div class="submit-row">
        <button
          type="submit"
          class={props.plain ? 'button' : 'button primary'}
          // Not `disabled`, which would remove the focus from keyboard users.
          aria-disabled={props.of.isPending}
          onClick={(event) => props.of.isPending && event.preventDefault()}
        >
          {props.icon && <Icon name={props.icon} size={14} />}
          {props.of.isPending ? props.busy : props.label}
        </button>
        {props.children}
      </div>
    </>
  );
}
