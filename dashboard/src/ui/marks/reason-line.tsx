import type { FailureKind } from '@switchyard/shared/api/work/attempt';
import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import { nextTryAt, waitingText } from '../../format/waiting-text.ts';
import { useReader } from '../../api/queries.ts';
import { Due } from './ago.tsx';
import { useNow } from './use-now.ts';
import '../data/standing.css';

const NOW_MS = 1_000;

type ReasonLineProps = {
  issue: Issue;
  paused: State['paused'];
  /** How the newest attempt failed, for an issue without a reason of its own. */
  failure?: FailureKind | null;
};

/** The reason for an issue's state as text, with the next try when one is due. */
export function ReasonLine({ issue, paused, failure = null }: ReasonLineProps) {
  const text = waitingText(issue, paused, failure, useReader());
  const nowMs = useNow(NOW_MS, { active: issue.nextRetryAt !== null });
  const tryAt = nextTryAt(issue, paused, nowMs);
  if (text === null && tryAt === null) return null;
  return (
    <p class="reason">
      {text !== null && (
        <span class="reason-words" dir="auto">
          {text}
        </span>
      )}{' '}
      {tryAt !== null && (
        <span class="reason-next">
          next retry <Due at={tryAt} />
        </span>
      )}
    </p>
  );
}
