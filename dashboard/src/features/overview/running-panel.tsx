import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import { Link } from '@tanstack/react-router';
import { useCurrentAttempt } from '../../api/use-current-attempt.ts';
import { formatCount, plural } from '../../format/format-count.ts';
import { stepWords } from '../../format/words.ts';
import { Elapsed } from '../../ui/marks/ago.tsx';
import { StatusMark } from '../../ui/marks/status-mark.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { MoreOnBoard } from './more-on-board.tsx';

const SHOWN = 10;

/** What agents work on now, with how far each is. */
export function RunningPanel({ state, asking }: { state: State; asking: ReadonlySet<string> }) {
  const total = state.counts['running'] ?? state.running.length;
  return (
    <section class="panel overview-panel" aria-labelledby="running">
      <h2 id="running">Running {total > 0 && <span class="count">{total}</span>}</h2>
      {state.running.length === 0 ? (
        <p class="all-clear">
          <span>
            No agents running.{' '}
            <Link to="/board" search={{ new: 'issue' }}>
              Create an issue
            </Link>{' '}
            to start an agent.
          </span>
        </p>
      ) : (
        <ul class="rows">
          {state.running.slice(0, SHOWN).map((issue) => (
            <RunningRow
              key={`${issue.tracker}:${issue.id}`}
              issue={issue}
              asking={asking.has(issue.identifier)}
            />
          ))}
        </ul>
      )}
      <MoreOnBoard count={total - SHOWN} need="running" />
    </section>
  );
}

function RunningRow({ issue, asking }: { issue: Issue; asking: boolean }) {
  const attempt = useCurrentAttempt(issue.identifier);
  return (
    <li>
      <StatusMark status="running" asking={asking} />
      <div class="grow">
        <IssueLink identifier={issue.identifier} title={issue.title} />
        <p class="quiet">
          {attempt === undefined ? 'starting' : stepWords(attempt)}
          {attempt !== undefined && attempt.number > 1 && ` · attempt ${attempt.number}`}
          {attempt !== undefined &&
            attempt.turnCount > 0 &&
            ` · ${plural(attempt.turnCount, 'turn')}`}
        </p>
      </div>
      <span class="row-numbers">
        {issue.tokens.total > 0 && <span>{formatCount(issue.tokens.total)} tok</span>}
        {attempt !== undefined && (
          <Elapsed from={Date.parse(attempt.startedAt ?? attempt.queuedAt)} to={null} />
        )}
      </span>
    </li>
  );
}
