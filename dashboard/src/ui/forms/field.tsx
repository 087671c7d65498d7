import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A labelled form control with a hint and, after a refusal, the reason; `control` draws it. */
export function Field(props: {
  label: string;
  hint?: ComponentChildren;
  error?: string | null;
  control: (ids: {
    id: string;
    'aria-describedby': string;
    'aria-invalid': boolean;
  }) => ComponentChildren;
}) {
  const id = useId();
  const refused = props.error !== undefined && props.error !== null;
  return (
    <div class="stack">
      <label for={id}>{props.label}</label>
      {props.control({ id, 'aria-describedby': `${id}-about`, 'aria-invalid': refused })}
      <span id={`${id}-about`} class={refused ? 'field-about bad' : 'field-about'}>
        {refused ? props.error : props.hint}
      </span>
    </div>
  );
}
