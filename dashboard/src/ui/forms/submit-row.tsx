import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../marks/icon.tsx';
import { Problem } from '../marks/problem.tsx';

/** What a form is sent by, as far as its foot shows it: a mutation. */
export type Sending = { isPending: boolean; error: unknown };

/** The foot of a form that asks somebody: what was refused, the button, and further ways. */
export function SubmitRow(props: {
  label: string;
  /** Said instead while an answer is awaited. */
  busy: string;
  /** What sends it. */
  of: Sending;
  icon?: IconName;
  /** Not what the page is mainly about. */
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
          // Not `disabled`: that takes the focus away from who works with the keyboard.
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
