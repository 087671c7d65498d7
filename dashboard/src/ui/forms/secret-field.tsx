import { Field } from './field.tsx';

/** A field whose content goes to the service and is never shown again. */
export function SecretField(props: {
  name: string;
  label: string;
  hint: string;
  required?: boolean;
  placeholder?: string;
  /** It is what a dialog is opened for. */
  autoFocus?: boolean;
}) {
  return (
    <Field
      label={props.label}
      hint={props.hint}
      control={(ids) => (
        <input
          {...ids}
          class="field mono"
          type="password"
          name={props.name}
          required={props.required ?? true}
          maxLength={8_192}
          placeholder={props.placeholder ?? ''}
          autoFocus={props.autoFocus ?? false}
          autoComplete="off"
        />
      )}
    />
  );
}
