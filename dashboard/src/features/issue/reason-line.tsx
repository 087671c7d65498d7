import type { IssueDetail } from '@switchyard/shared/api/issue';
import { reasonWords } from '../../format/words.ts';
import { Due } from '../../ui/moment.tsx';

/** Why the issue stands as it does, in words, with the next try when one is due. */
export function ReasonLine({ issue }: { issue: IssueDetail }) {
  const latest = issue.attempts[0];
  const failure =
    latest?.failureKind != null && issue.status !== 'running'
      ? reasonWords(latest.failureKind)
      : null;
  const reason = issue.reason === null ? failure : reasonWords(issue.reason);
  if (reason === null && issue.nextRetryAt === null) return null;
  return (
    <p class="reason" dir="auto">
      {reason}
      {issue.nextRetryAt !== null && (
        <>
          {reason !== null && ' · '}next try <Due at={issue.nextRetryAt} />
        </>
      )}
    </p>
  );
}
