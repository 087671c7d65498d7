import type { Issue } from '@switchyard/shared/api/issue';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { retryIssue } from '../../api/actions.ts';
import { attemptsQuery, stateQuery } from '../../api/queries.ts';
import { nextTryAt, waitingWords } from '../../format/waiting-words.ts';
import { phaseWords } from '../../format/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { Due, Elapsed } from '../../ui/moment.tsx';
import { Problem } from '../../ui/problem.tsx';
import { PullRequestLink } from '../../ui/pull-request-link.tsx';
import { StatusMark } from '../../ui/status-mark.tsx';
import { renewSetup } from './queries.ts';

const STOPPED: readonly string[] = ['failed', 'blocked', 'cancelled'];

/** How far the test issue is, why it is not further, and the ways on. */
export function TestIssue({ issue }: { issue: Issue }) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => retryIssue(issue.identifier),
    onSettled: () => renewSetup(client),
  });
  return (
    <div class="test-issue panel">
      <div role="status">
        <header>
          <Link to="/issues/$id" params={{ id: issue.identifier }} className="row-link">
            <span class="mono">{issue.identifier}</span> {issue.title}
          </Link>
          <StatusMark status={issue.status} />
        </header>
        <Why issue={issue} />
        {issue.status === 'completed' && (
          <p class="note good">
            <Icon name="completed" size={14} /> Everything works together.
          </p>
        )}
      </div>
      {issue.status === 'running' && <Phase identifier={issue.identifier} />}
      <div class="submit-row">
        {issue.pullRequestUrl !== null && <PullRequestLink url={issue.pullRequestUrl} />}
        <Link to="/issues/$id" params={{ id: issue.identifier }}>
          {issue.status === 'running' ? 'Watch it' : 'Look at it'}
        </Link>
        {STOPPED.includes(issue.status) && (
          <button
            type="button"
            class="button small"
            aria-disabled={retry.isPending}
            onClick={() => retry.isPending || retry.mutate()}
          >
            <Icon name="retry" size={14} /> Retry
          </button>
        )}
      </div>
      <Problem error={retry.error} />
    </div>
  );
}

/** Why it waits or ended, and when it goes on. */
function Why({ issue }: { issue: Issue }) {
  const paused = useQuery(stateQuery).data?.paused ?? null;
  const words = issue.status === 'completed' ? null : waitingWords(issue, paused);
  const tryAt = nextTryAt(issue, paused);
  if (words === null && tryAt === null) return null;
  return (
    <p class="quiet wrap" dir="auto">
      {words}
      {tryAt !== null && (
        <>
          {words !== null && ' · '}next try <Due at={tryAt} />
        </>
      )}
    </p>
  );
}

/** What happens to it at this moment, and since when. */
function Phase({ identifier }: { identifier: string }) {
  const { data } = useQuery(attemptsQuery(identifier));
  const attempt = data?.attempts.find((entry) => entry.attemptId === data.currentAttemptId);
  if (attempt === undefined) return null;
  const phase = attempt.phase === null ? attempt.status : phaseWords(attempt.phase);
  return (
    <p class="note">
      <Icon name="running" size={14} /> {phase},{' '}
      <Elapsed from={Date.parse(attempt.startedAt ?? attempt.queuedAt)} to={null} />
    </p>
  );
}
