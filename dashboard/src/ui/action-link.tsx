import { actionFor } from '@switchyard/shared/reasons/explain-reason';
import type { ReasonAction } from '@switchyard/shared/reasons/reason-actions';
import { useRouter } from '@tanstack/react-router';

/** The next step for a reason, as a link to its page; nothing where there is none. */
export function ActionLink({ action, identifier }: { action: ReasonAction; identifier: string }) {
  const { history } = useRouter();
  const entry = actionFor(action, identifier);
  if (entry === null) return null;
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.push(entry.path);
  };
  return (
    <a href={entry.path} class="button small" onClick={follow}>
      {entry.label}
    </a>
  );
}
