import { SCRIPTED_WORK } from '@switchyard/shared/model-providers/scripted-model';
import type { Issue, IssueStatus } from '@switchyard/shared/api/work/issue';
import { attemptStatus, statusLabel } from '@switchyard/shared/reasons/attempt-status';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import { Icon } from './icon.tsx';

type StatusMarkProps = {
  status: IssueStatus;
  asking?: boolean;
  /** Its attempt is being stopped. */
  stopping?: boolean;
};

/** A status as shape, word and colour, in this order of importance. */
export function StatusMark({ status, asking = false, stopping = false }: StatusMarkProps) {
  const shown = asking ? 'asking' : status;
  return (
    <span class={`status status-${shown}`}>
      <Icon name={shown} size={14} />
      {asking ? 'Question' : asSentence(stopping ? 'stopping' : statusLabel(status))}
    </span>
  );
}

/** Of an issue whose pull request waits for a person. */
export function ReviewMark() {
  return (
    <span class="status status-asking">
      <Icon name="pull" size={14} /> Review
    </span>
  );
}

/** Behind the title of an issue at whose newest attempt a script works, or worked; else nothing. */
export function TrialMark({ issue }: { issue: Pick<Issue, 'onTrial'> }) {
  if (!issue.onTrial) return null;
  return (
    <span class="tag" title={SCRIPTED_WORK}>
      Scripted trial
    </span>
  );
}

type AttemptMarkProps = {
  attempt: Parameters<typeof attemptStatus>[0];
  /** Its issue, which says what became of its work. */
  issue?: Parameters<typeof attemptStatus>[1];
};

/** How an attempt stands or ended. */
export function AttemptMark({ attempt, issue }: AttemptMarkProps) {
  const { mark, word } = attemptStatus(attempt, issue);
  return (
    <span class={`status status-${mark}`}>
      <Icon name={mark} size={14} />
      {asSentence(word)}
    </span>
  );
}
