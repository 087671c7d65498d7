import { CopyButton } from './copy-button.tsx';

/** A shell command with a copy button. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div class="command">
      <code>{command}</code>
      <CopyButton text={command} />
    </div>
  );
}
