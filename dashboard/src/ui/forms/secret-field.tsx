import { TextField } from './text-field.tsx';

type SecretFieldProps = {
  name: string;
  label: string;
  hint: string;
  required?: boolean;
  placeholder?: string;
  /** It is what a dialog is opened for. */
  autoFocus?: boolean;
};

/** A field whose content goes to the service and is never shown again. */
export function SecretField(props: SecretFieldProps) {
  return <TextField type="password" required maxLength={8_192} {...props} />;
}
