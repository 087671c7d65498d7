import { useMutation, useQueryClient } from '@tanstack/react-query';
import { abortIssue } from '../../api/actions.ts';
import { Question } from '../../ui/overlays/question.tsx';
import { type IssueRef, nameOf } from './issue-ref.ts';
import { runForAll } from './run-for-all.ts';

type Props = { issues: readonly IssueRef[]; onClose: () => void };

/** Stopping costs work, so it is asked about. */
export function AbortDialog({ issues, onClose }: Props) {
  const client = useQueryClient();
  const running = issues.some((issue) => issue.status === 'running');
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
      <p>
        {running
          ? 'The agent stops immediately. Its workspace is kept, and you can retry at any time.'
          : 'No agent works on it yet. It leaves the queue, and you can retry at any time.'}
      </p>
    </Question>
  );
}
