import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../../api/api.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Problem } from '../../../ui/marks/problem.tsx';
import { addRoute, createTestIssue, refreshSetup, type Setup } from '../queries.ts';
import { TestIssue } from './test-issue.tsx';
import { Button } from '../../../ui/button.tsx';

/** One issue that really runs: created here, followed here, and remembered by the service. */
export function IssueStep({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: createTestIssue,
    onSettled: () => refreshSetup(client),
  });
  const noRoute = create.error instanceof ApiError && create.error.code === 'no_route';
  const isFirst = setup.testIssue === null;
  return (
    <>
      {setup.testIssue === null ? (
        <p>
          The test issue adds one line to the README.{' '}
          {setup.provider.onTrial
            ? 'A script stands in for the model, so it costs nothing.'
            : 'It takes a minute or two and costs a few cents.'}
        </p>
      ) : (
        <TestIssue issue={setup.testIssue} onTrial={setup.testIssueOnTrial} />
      )}
      {setup.testIssue?.status !== 'completed' && <StillOpen setup={setup} />}
      <Problem error={create.error} />
      {noRoute && <RouteForTests setup={setup} onAdded={() => create.mutate()} />}
      <div class="submit-row">
        <Button
          primary={isFirst}
          aria-disabled={create.isPending}
          onClick={() => create.isPending || create.mutate()}
        >
          {isFirst ? 'Create the test issue' : 'Create another test issue'}
        </Button>
      </div>
    </>
  );
}

/** What the test issue may wait or fail for, with the way there. */
function StillOpen({ setup }: { setup: Setup }) {
  const open = setup.steps.filter(({ step, done }) => !done && step !== 'issue');
  if (open.length === 0) return null;
  return (
    <div class="still-open">
      <p class="note warning">
        <Icon name="warning" size={14} /> Remaining steps:
      </p>
      <ul>
        {open.map(({ step, summary }) => (
          <li key={step}>
            <Link to="/setup" search={{ step }}>
              {summary}
            </Link>
          </li>
        ))}
      </ul>
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
    <div>
      <Button aria-disabled={add.isPending} onClick={() => add.isPending || add.mutate()}>
        Route {prefix} issues to {url}
      </Button>
      <Problem error={add.error} />
    </div>
  );
}
