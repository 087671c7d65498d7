type MessageFieldProps = {
  label: string;
  placeholder: string;
  rows: number;
  maxLength: number;
  autoFocus?: boolean;
  /**
   * Identifies the field when it is drawn elsewhere: the focus follows it, so that further typing
   * triggers no shortcut.
   */
  'data-identifier'?: string;
  value: string;
  onInput: (text: string) => void;
  onSubmit: () => void;
};

const NAME = 'message';

/**
 * A text for an agent or for people: Enter starts a new line, Ctrl+Enter (on a Mac ⌘+Enter) sends.
 */
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

/** Focuses the page's message box; false where it has none. */
export function focusMessage(): boolean {
  const field = document.querySelector<HTMLTextAreaElement>(`main textarea[name=${NAME}]`);
  field?.focus();
  return field !== null;
}
