import { STOPPED_STATUSES } from '@switchyard/shared/reasons/needs-of';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { abortIssue } from '../../api/actions.ts';
import { Question } from '../../ui/overlays/question.tsx';
import { type IssueRef, nameOf } from './issue-ref.ts';
import { runForAll } from './run-for-all.ts';

const RUNNING =
  'The agent stops immediately. Its workspace is kept, and you can retry at any time.';
const WAITING = 'No agent works on it yet. It leaves the queue, and you can retry at any time.';
const STOPPED =
  'It no longer needs you. Its work is kept, and you can retry at any time; a change in the tracker starts it again too.';

type Props = { issues: readonly IssueRef[]; onClose: () => void };

/** Asks for confirmation before a stop, which ends the agent's run. */
export function AbortDialog({ issues, onClose }: Props) {
  const client = useQueryClient();
  const running = issues.some((issue) => issue.status === 'running');
  const isWaitingForPerson = issues.every(({ status }) =>
    STOPPED_STATUSES.some((stopped) => stopped === status),
  );
  const abort = useMutation({
    mutationFn: () => runForAll(client, issues, abortIssue, running ? 'stopping' : 'stopped'),
    onSettled: onClose,
  });
  return (
    <Question
      title={`Stop ${nameOf(issues)}?`}
      confirmLabel="Stop"
      danger
      pending={abort.isPending}
      onConfirm={() => abort.mutate()}
      onClose={onClose}
    >
      <p>{running ? RUNNING : isWaitingForPerson ? STOPPED : WAITING}</p>
    </Question>
  );
}
