import type { InputEventHandler } from 'preact';
import { Field } from './field.tsx';

type TextFieldProps = {
  label: string;
  hint?: string | undefined;
  /** The content is prose; otherwise a name or an address in a monospaced font. */
  prose?: boolean;
  /** Type of the input; `text` by default. */
  type?: string;
  name?: string;
  value?: string;
  defaultValue?: string;
  placeholder?: string;
  required?: boolean;
  pattern?: string;
  title?: string;
  inputMode?: 'numeric' | 'decimal';
  maxLength?: number;
  /** Another element of the page shows the error. */
  isInvalid?: boolean;
  autoFocus?: boolean;
  spellcheck?: boolean;
  onInput?: InputEventHandler<HTMLInputElement>;
};

/** A labelled line of text, without suggestions of the browser. */
export function TextField({
  label,
  hint,
  prose = false,
  type = 'text',
  isInvalid = false,
  ...input
}: TextFieldProps) {
  return (
    <Field
      label={label}
      hint={hint}
      control={(ids) => (
        <input
          autoComplete="off"
          {...input}
          {...ids}
          aria-invalid={isInvalid}
          type={type as 'text'}
          class={prose ? 'field' : 'field mono'}
        />
      )}
    />
  );
}
