type MessageFieldProps = {
  label: string;
  placeholder: string;
  rows: number;
  maxLength: number;
  autoFocus?: boolean;
  /** Names it wherever it stands: the focus goes with it, so that what is typed on is no shortcut. */
  'data-identifier'?: string;
  value: string;
  onInput: (text: string) => void;
  onSubmit: () => void;
};

const NAME = 'message';

/** A text for an agent or for people: Enter begins a line, Ctrl+Enter (on a Mac ⌘+Enter) sends. */
export function MessageField({ label, onInput, onSubmit, ...field }: MessageFieldProps) {
  return (
    <>
      <textarea
        class="field"
        name={NAME}
        {...field}
        aria-label={label}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          const sends = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
          if (!sends || event.isComposing) return;
          event.preventDefault();
          onSubmit();
        }}
      />
      <span class="quiet key-hint" aria-hidden="true">
        Ctrl+Enter sends
      </span>
    </>
  );
}

/** Goes to the page's box for a message; false where it has none. */
export function focusMessage(): boolean {
  const field = document.querySelector<HTMLTextAreaElement>(`main textarea[name=${NAME}]`);
  field?.focus();
  return field !== null;
}
