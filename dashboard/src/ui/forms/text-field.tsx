import type { InputEventHandler } from 'preact';
import { Field } from './field.tsx';

type TextFieldProps = {
  label: string;
  hint?: string | undefined;
  /** Without it the content is a name or an address, in letters of one width. */
  prose?: boolean;
  /** As an input's; text without it. */
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
  /** Something else on the page says what is wrong with it. */
  isInvalid?: boolean;
  autoFocus?: boolean;
  spellcheck?: boolean;
  onInput?: InputEventHandler<HTMLInputElement>;
};

/** A labelled line of text; the browser proposes nothing for it. */
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
