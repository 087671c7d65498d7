import { errorText } from '../../api/api.ts';
import { Icon } from './icon.tsx';

/** The error of an action, beside the control that caused it. */
export function Problem({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p class="problem" role="alert">
      <Icon name="warning" size={14} /> {errorText(error)}
    </p>
  );
}
