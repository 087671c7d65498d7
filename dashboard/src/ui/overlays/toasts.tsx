import { errorText } from '../../api/api.ts';
import { Icon } from '../marks/icon.tsx';
import { UndoToasts } from './undo-toasts.tsx';
import { sharedValue } from '../shared-value.ts';
import { IconButton } from '../icon-button.tsx';

type Toast = { id: number; tone: 'good' | 'bad'; text: string };

const SHOWN_MS = 6_000;
const SHOWN_MAX = 4;

const toasts = sharedValue<readonly Toast[]>([]);
let nextId = 1;

/** Shows a brief message in a corner of the page. */
export function showToast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = nextId++;
  toasts.set([...toasts.get(), { id, tone, text }].slice(-SHOWN_MAX));
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Shows a failure in the service's words. */
export const showErrorToast = (error: unknown): void => showToast(errorText(error), 'bad');

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** The toasts of the page; part of the shell. */
export function Toasts() {
  const shown = toasts.useValue();
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <p key={toast.id} class={`toast ${toast.tone}`}>
          <Icon name={toast.tone === 'good' ? 'check' : 'warning'} size={14} />
          <span class="grow wrap">{toast.text}</span>
          <IconButton icon="close" label="Dismiss" size={14} onClick={() => dismiss(toast.id)} />
        </p>
      ))}
      <UndoToasts />
    </div>
  );
}
