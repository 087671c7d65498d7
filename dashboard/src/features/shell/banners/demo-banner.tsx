import { useQuery } from '@tanstack/react-query';
import { commandText } from '@switchyard/shared/text/command-text';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'preact/hooks';
import { pullRequestsQuery, runtimeQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/marks/icon.tsx';

/** Explains on every page of a demonstration what is shown and what comes next. */
export function DemoBanner() {
  const { data } = useQuery(runtimeQuery);
  if (data?.feature_flags['demo'] !== true) return null;
  const isCheckout = data.feature_flags['checkout'] === true;
  return <DemoSteps start={commandText('start', isCheckout ? { SWITCHYARD_CHECKOUT: '.' } : {})} />;
}

/** @param props.start the command that starts real work */
function DemoSteps({ start }: { start: string }) {
  const { data } = useQuery(pullRequestsQuery);
  const pullRequest = data?.pullRequests[0];
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const watched = pullRequest?.status === 'open' ? pullRequest : null;
  const isKnown = data !== undefined;
  const newest = pullRequest?.id ?? null;
  const before = useRef<string | null | undefined>(undefined);
  // Opens a pull request only at the moment it is created: a later visitor stays on the page.
  useEffect(() => {
    if (!isKnown) return;
    const isNew = before.current !== undefined && before.current !== newest;
    before.current = newest;
    if (!isNew || watched === null || pathname !== `/issues/${watched.issueIdentifier}`) return;
    void navigate({ to: '/pull-requests/$id', params: { id: watched.id } });
  }, [isKnown, newest, watched, pathname, navigate]);
  return (
    <p class="banner demo" role="status">
      <Icon name="help" size={14} />
      <span>
        <strong>Demo</strong>{' '}
        {pullRequest === undefined && (
          <>
            An agent is fixing a failing test in a small repository. Only the model is scripted;
            control plane, runner, agent engine and git are real.
          </>
        )}
        {watched !== null && (
          <>
            <Link to="/pull-requests/$id" params={{ id: watched.id }}>
              Merge your first pull request
            </Link>
            : the agent has finished its work.
          </>
        )}
        {pullRequest !== undefined && watched === null && (
          <>
            Demo complete: from an issue to a {pullRequest.status} pull request. For your own
            repository, stop the demo with Ctrl-C and run <code>{start}</code>.
          </>
        )}
      </span>
    </p>
  );
}
