import type { IssueDetail } from '@switchyard/shared/api/issue';
import type { State } from '@switchyard/shared/api/state';
import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../api/queries.ts';
import { nextTryAt, waitingWords } from '../../format/waiting-words.ts';
import { reasonWords } from '../../format/words.ts';
import { Due } from '../../ui/moment.tsx';

/** Why the issue stands as it does, in words, with the next try when one is due. */
export function ReasonLine({ issue }: { issue: IssueDetail }) {
  const paused = useQuery(stateQuery).data?.paused ?? null;
  const reason = reasonOf(issue, paused);
  const tryAt = nextTryAt(issue, paused);
  if (reason === null && tryAt === null) return null;
  return (
    <p class="reason" dir="auto">
      {reason}
      {tryAt !== null && (
        <>
          {reason !== null && ' · '}next try <Due at={tryAt} />
        </>
      )}
    </p>
  );
}

function reasonOf(issue: IssueDetail, paused: State['paused']): string | null {
  const failure = issue.status === 'running' ? null : issue.attempts[0]?.failureKind;
  const waits = issue.status === 'queued' || issue.status === 'retrying';
  if (waits && paused !== null) return waitingWords(issue, paused);
  if (issue.reason === null && failure != null) return reasonWords(failure);
  return waitingWords(issue, paused);
}
