import type { MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import { Link } from '@tanstack/react-router';
import { useReader } from '../../api/queries.ts';
import { Ago, TextWithTimes } from '../../ui/marks/ago.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import {
  enteredByText,
  MERGE_DISPLAY,
  mergeNextStep,
  mergeReason,
  mergeStateText,
} from './merge-display.ts';

/** Where a pull request is in its merge queue. */
export function MergeBadge({ entry }: { entry: MergeQueueEntry }) {
  const { tone, icon } = MERGE_DISPLAY[entry.state];
  return (
    <Badge tone={tone} icon={icon}>
      {mergeStateText(entry)}
    </Badge>
  );
}

/** Why it is there, what a person can do about it, and who asked for the merge. */
export function MergeFacts({ entry }: { entry: MergeQueueEntry }) {
  const next = mergeNextStep(entry);
  return (
    <>
      <p class="wrap" dir="auto">
        <TextWithTimes text={mergeReason(entry)} />
      </p>
      {next !== null && (
        <p>
          <span class="quiet">Next:</span> {next}
        </p>
      )}
      <Origin entry={entry} />
    </>
  );
}

/** Who asked for the merge and when, and the attempt that tests it. */
function Origin({ entry }: { entry: MergeQueueEntry }) {
  const { attemptId, enteredBy, enteredAt, issueIdentifier, number, state } = entry;
  const reader = useReader();
  return (
    <p class="quiet wrap">
      {enteredByText(enteredBy, reader)} <Ago at={enteredAt} />
      {attemptId !== null && (
        <>
          {' · '}
          <Link to="/issues/$id" params={{ id: issueIdentifier }} search={{ attempt: attemptId }}>
            {state === 'testing' ? 'Running merge test' : 'Last merge test'}
            <span class="visually-hidden"> of #{number}</span>
          </Link>
        </>
      )}
    </p>
  );
}
