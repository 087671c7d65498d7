import type { IssueDetail } from '@switchyard/shared/api/issue';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { abortIssue, retryIssue } from '../../api/actions.ts';
import { ConfirmButton } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Problem } from '../../ui/problem.tsx';
import { PullRequestLink } from '../../ui/pull-request-link.tsx';

const STOPPABLE = new Set(['running', 'queued', 'retrying']);
const RETRYABLE = new Set(['failed', 'blocked', 'cancelled', 'completed', 'retrying']);

/** What a person can do with an issue now. What stops a run is asked about first. */
export function IssueActions({ issue }: { issue: IssueDetail }) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ['issue', issue.identifier] });
  const abort = () => abortIssue(issue.identifier).finally(() => void refresh());
  const retry = useMutation({ mutationFn: () => retryIssue(issue.identifier), onSettled: refresh });
  const running = issue.status === 'running';
  return (
    <>
      <Problem error={retry.error} />
      {issue.pullRequestUrl !== null && (
        <PullRequestLink url={issue.pullRequestUrl} label="Pull request" />
      )}
      {RETRYABLE.has(issue.status) && (
        <button
          type="button"
          class="button"
          disabled={retry.isPending}
          onClick={() => retry.mutate()}
        >
          <Icon name="retry" size={14} /> {issue.status === 'retrying' ? 'Retry now' : 'Retry'}
        </button>
      )}
      {STOPPABLE.has(issue.status) && (
        <ConfirmButton
          label="Abort"
          icon="stop"
          question={
            running
              ? `Stop ${issue.identifier} while it runs?`
              : `Take ${issue.identifier} off the line?`
          }
          explanation={
            running
              ? 'The agent stops at once. Its workspace is kept, and you can retry whenever you like.'
              : 'It will not be started until you retry it.'
          }
          confirmLabel={running ? 'Stop it' : 'Take it off'}
          danger
          action={abort}
        />
      )}
    </>
  );
}
