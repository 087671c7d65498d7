import { SCRIPTED_WORK } from '@switchyard/shared/model-providers/scripted-model';
import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { Issue, IssueStatus } from '@switchyard/shared/api/work/issue';
import { attemptStatus, statusLabel } from '@switchyard/shared/reasons/attempt-status';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import type { Asking } from '../../format/asking-of.ts';
import { Icon } from './icon.tsx';

type StatusMarkProps = {
  status: IssueStatus;
  /** Null: the agent waits for nobody. */
  asking?: Asking | null;
  /** The issue's attempt is being stopped. */
  stopping?: boolean;
};

/** A status as shape, word and colour, in this order of importance. */
export function StatusMark({ status, asking = null, stopping = false }: StatusMarkProps) {
  const shown = asking === null ? status : 'asking';
  return (
    <span class={`status status-${shown}`}>
      <Icon name={asking === 'plan' ? 'plan' : shown} size={14} />
      {asSentence(asking ?? (stopping ? 'stopping' : statusLabel(status)))}
    </span>
  );
}

/** The mark of an issue whose pull request waits for a person. */
export function ReviewMark() {
  return (
    <span class="status status-asking">
      <Icon name="pull" size={14} /> Review
    </span>
  );
}

/** The mark after the title of an issue whose newest attempt is by a script; otherwise nothing. */
export function TrialMark({ issue }: { issue: Pick<Issue, 'onTrial'> }) {
  if (!issue.onTrial) return null;
  return (
    <span class="tag" title={SCRIPTED_WORK}>
      Scripted trial
    </span>
  );
}

const KINDS: Partial<Record<Attempt['kind'], { label: string; about: string }>> = {
  plan: { label: 'plan', about: 'The agent only reads and hands in a plan' },
  check: {
    label: 'Merge test',
    about: 'A runner tests the merge of the pull request; no agent works',
  },
  review: { label: 'Review', about: 'Another agent reads the pull request' },
};

/** The mark of an attempt that does not work on its issue; otherwise nothing. */
export function KindMark({ attempt }: { attempt: Pick<Attempt, 'kind'> }) {
  const kind = KINDS[attempt.kind];
  if (kind === undefined) return null;
  return (
    <span class="tag" title={kind.about}>
      {kind.label}
    </span>
  );
}

type AttemptMarkProps = {
  attempt: Parameters<typeof attemptStatus>[0];
  /** The attempt's issue, which shows what became of the work. */
  issue?: Parameters<typeof attemptStatus>[1];
};

/** The state of an attempt, or how it ended. */
export function AttemptMark({ attempt, issue }: AttemptMarkProps) {
  const { mark, word } = attemptStatus(attempt, issue);
  return (
    <span class={`status status-${mark}`}>
      <Icon name={mark} size={14} />
      {asSentence(word)}
    </span>
  );
}
