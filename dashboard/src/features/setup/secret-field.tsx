import { Field } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';

/** A field whose content goes to the service and is never shown again. */
export function SecretField(props: {
  name: string;
  label: string;
  hint: string;
  required?: boolean;
  placeholder?: string;
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
          autoComplete="off"
        />
      )}
    />
  );
}

/** The text in a field of a form, without blanks around it. */
export function textIn(form: HTMLFormElement, name: string): string {
  return formText(form, name).trim();
}
