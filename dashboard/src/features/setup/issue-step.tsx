import type { Issue } from '@switchyard/shared/api/issue';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { retryIssue } from '../../api/actions.ts';
import { ApiError } from '../../api/client.ts';
import { Icon } from '../../ui/icon.tsx';
import { Problem } from '../../ui/problem.tsx';
import { PullRequestLink } from '../../ui/pull-request-link.tsx';
import { StatusMark } from '../../ui/status-mark.tsx';
import { addRoute, createTestIssue, renewSetup, type Setup } from './queries.ts';

/** One issue that really runs: created here, followed here, and remembered by the service. */
export function IssueStep({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const open = setup.steps.filter(({ step, done }) => !done && step !== 'issue');
  const create = useMutation({
    mutationFn: createTestIssue,
    onSettled: () => renewSetup(client),
  });
  const noRoute = create.error instanceof ApiError && create.error.code === 'no_route';
  return (
    <>
      {setup.testIssue === null ? (
        <p>It asks for one line in the README, takes a minute or two, and costs a few cents.</p>
      ) : (
        <Progress issue={setup.testIssue} />
      )}
      {open.length > 0 && setup.testIssue?.status !== 'completed' && (
        <p class="note warning">
          <Icon name="warning" size={14} /> Still to do:{' '}
          {open.map(({ summary }) => summary).join('; ')}.
        </p>
      )}
      <Problem error={create.error} />
      {noRoute && <RouteForTests setup={setup} onAdded={() => create.mutate()} />}
      <div class="submit-row">
        <button
          type="button"
          class={setup.testIssue === null ? 'button primary' : 'button'}
          disabled={create.isPending}
          onClick={() => create.mutate()}
        >
          {setup.testIssue === null ? 'Create the test issue' : 'Create another one'}
        </button>
      </div>
    </>
  );
}

function Progress({ issue }: { issue: Issue }) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => retryIssue(issue.identifier),
    onSettled: () => renewSetup(client),
  });
  const stopped = ['failed', 'blocked', 'cancelled'].includes(issue.status);
  return (
    <div class="test-issue panel" role="status">
      <header>
        <Link to="/issues/$id" params={{ id: issue.identifier }} className="row-link">
          <span class="mono">{issue.identifier}</span> {issue.title}
        </Link>
        <StatusMark status={issue.status} />
      </header>
      {issue.reason !== null && (
        <p class="quiet" dir="auto">
          {issue.reason}
        </p>
      )}
      {issue.status === 'completed' && (
        <p class="note good">
          <Icon name="completed" size={14} /> Everything works together.
        </p>
      )}
      <div class="submit-row">
        {issue.pullRequestUrl !== null && <PullRequestLink url={issue.pullRequestUrl} />}
        <Link to="/issues/$id" params={{ id: issue.identifier }}>
          Watch it
        </Link>
        {stopped && (
          <button
            type="button"
            class="button small"
            disabled={retry.isPending}
            onClick={() => retry.mutate()}
          >
            <Icon name="retry" size={14} /> Retry
          </button>
        )}
      </div>
      <Problem error={retry.error} />
    </div>
  );
}

/** The test issue lies in the built-in tracker, whose prefix no repository may have yet. */
function RouteForTests({ setup, onAdded }: { setup: Setup; onAdded: () => void }) {
  const prefix = `${setup.localPrefix}-`;
  const url = setup.firstRepository;
  const add = useMutation({
    mutationFn: () => addRoute({ prefix, url: url ?? '' }),
    onSuccess: onAdded,
  });
  if (url === null) {
    return (
      <Link to="/setup" search={{ step: 'repository' }}>
        Add a repository first
      </Link>
    );
  }
  return (
    <p>
      <button type="button" class="button" disabled={add.isPending} onClick={() => add.mutate()}>
        Send {prefix} issues to {url}
      </button>
      <Problem error={add.error} />
    </p>
  );
}
