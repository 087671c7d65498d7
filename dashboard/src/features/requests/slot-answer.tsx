import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import { useNeedingPerson } from '../../api/issue-lists.ts';
import { askingOf } from '../../format/asking-of.ts';
import { questionText } from '../../format/question-text.ts';
import { IssueLink } from '../../ui/marks/issue-link.tsx';

type SlotAnswerProps = {
  issue: Pick<Issue, 'status' | 'reasonCode'>;
  paused: State['paused'];
};

/**
 * Links to the answer that frees a slot for the issue, while agents waiting for answers hold every
 * slot.
 */
export function SlotAnswer({ issue, paused }: SlotAnswerProps) {
  const waits = issue.status === 'queued' || issue.status === 'retrying';
  return waits && issue.reasonCode === 'slots_full' && paused === null ? <FreeingAnswer /> : null;
}

function FreeingAnswer() {
  const { issues, slotsAwaitAnswers } = useNeedingPerson();
  // An agent holds no slot while its plan waits.
  const asking = issues.find(({ requests }) => askingOf(requests) === 'question');
  const request = asking?.requests[0];
  if (!slotsAwaitAnswers || asking === undefined || request === undefined) return null;
  return (
    <p class="quiet wrap slot-answer" dir="auto">
      An answer on <IssueLink identifier={asking.identifier} /> would free a slot:{' '}
      {questionText(request)}
    </p>
  );
}
