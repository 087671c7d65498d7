import { SCRIPTED_WORK } from '@switchyard/shared/model-providers/scripted-model';
import type { Issue } from '@switchyard/shared/api/work/issue';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { retryIssue } from '../../../api/actions.ts';
import { stateQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Problem } from '../../../ui/marks/problem.tsx';
import { PullRequestLink } from '../../../ui/marks/pull-request-link.tsx';
import { ReasonLine } from '../../../ui/marks/reason-line.tsx';
import { RunLine } from '../../../ui/data/run-line.tsx';
import { StatusMark } from '../../../ui/marks/status-mark.tsx';
import { refreshSetup } from '../queries.ts';
import { IssueLink } from '../../../ui/marks/issue-link.tsx';
import { Button } from '../../../ui/button.tsx';

export const STOPPED: readonly string[] = ['failed', 'blocked', 'cancelled'];

/** Progress of the test issue, the reason for a delay, and next steps. */
export function TestIssue({
  issue,
  onTrial,
  awaitsModel,
}: {
  issue: Issue;
  onTrial: boolean;
  /** A model is connected and has not completed anything yet. */
  awaitsModel: boolean;
}) {
  const client = useQueryClient();
  const paused = useQuery(stateQuery).data?.paused ?? null;
  const retry = useMutation({
    mutationFn: () => retryIssue(issue.identifier),
    onSettled: () => refreshSetup(client),
  });
  return (
    <div class="test-issue panel">
      <div role="status">
        <header>
          <IssueLink identifier={issue.identifier} title={issue.title} />
          <StatusMark status={issue.status} />
        </header>
        {issue.status !== 'completed' && <ReasonLine issue={issue} paused={paused} />}
        {issue.status === 'completed' && (
          <p class="note good">
            <Icon name="completed" size={14} /> The setup works end to end.
            {onTrial && ` ${SCRIPTED_WORK}`}
            {awaitsModel && ' Create another test issue to try the model.'}
          </p>
        )}
      </div>
      {issue.status === 'running' && <RunLine identifier={issue.identifier} />}
      <div class="submit-row">
        {issue.pullRequestUrl !== null && <PullRequestLink url={issue.pullRequestUrl} />}
        <Link to="/issues/$id" params={{ id: issue.identifier }}>
          {issue.status === 'running' ? 'Watch issue' : 'View issue'}
        </Link>
        {STOPPED.includes(issue.status) && (
          <Button
            icon="retry"

            small
            aria-disabled={retry.isPending}
            onClick={() => retry.isPending || retry.mutate()}
          >
            Retry
          </Button>
        )}
      </div>
      <Problem error={retry.error} />
    </div>
  );
}
