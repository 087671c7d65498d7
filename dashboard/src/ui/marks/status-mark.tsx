import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import { attemptWords, endedUnfinished } from '../../format/words.ts';
import { Icon } from './icon.tsx';

const WORDS: Record<IssueStatus, string> = {
  idle: 'Idle',
  queued: 'Queued',
  running: 'Running',
  retrying: 'Retrying',
  blocked: 'Blocked',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Canceled',
};

/** A status as shape, word and colour, in this order of importance. */
export function StatusMark({ status, asking = false }: { status: IssueStatus; asking?: boolean }) {
  const shown = asking ? 'asking' : status;
  return (
    <span class={`status status-${shown}`}>
      <Icon name={shown} size={14} />
      {asking ? 'Needs you' : WORDS[status]}
    </span>
  );
}

/** How an attempt stands or ended. */
export function AttemptMark({
  attempt,
}: {
  attempt: Pick<Attempt, 'status' | 'outcome' | 'reasonCode'>;
}) {
  const word = attemptWords(attempt);
  const shown = endedUnfinished(attempt) ? 'retrying' : attempt.status;
  return (
    <span class={`status status-${shown}`}>
      <Icon name={shown} size={14} />
      {word.charAt(0).toUpperCase() + word.slice(1)}
    </span>
  );
}
