import { TextField } from './text-field.tsx';

type SecretFieldProps = {
  name: string;
  label: string;
  hint: string;
  required?: boolean;
  placeholder?: string;
  /** Focuses the field when its dialog opens. */
  autoFocus?: boolean;
};

/** A field for a value that is sent to the service and never shown again. */
export function SecretField(props: SecretFieldProps) {
  return <TextField type="password" required maxLength={8_192} {...props} />;
}
