import { CopyButton } from './copy-button.tsx';

/** A command for somebody's shell, to be copied. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div class="command">
      <code>{command}</code>
      <CopyButton text={command} />
    </div>
  );
}
