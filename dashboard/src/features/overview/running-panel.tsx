import type { ListedIssue } from '@switchyard/shared/api/work/issue-list';
import type { Issue } from '@switchyard/shared/api/work/issue';
import type { State } from '@switchyard/shared/api/work/state';
import { Link } from '@tanstack/react-router';
import { useNeedingPerson } from '../../api/issue-lists.ts';
import { useCurrentAttempt } from '../../api/use-current-attempt.ts';
import { formatCount, plural } from '../../format/format-count.ts';
import { askingOf } from '../../format/asking-of.ts';
import { questionText } from '../../format/question-text.ts';
import { stepLabel } from '../../format/labels.ts';
import { Elapsed } from '../../ui/marks/ago.tsx';
import { StatusMark, TrialMark } from '../../ui/marks/status-mark.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { MoreOnBoard } from './more-on-board.tsx';

const SHOWN = 10;

/** The running issues with their progress. */
export function RunningPanel({ state }: { state: State }) {
  const { counts, issues } = useNeedingPerson();
  const total = counts?.running ?? state.running.length;
  const asking = new Map(
    issues.filter(({ needs }) => needs.includes('question')).map((one) => [one.identifier, one]),
  );
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
              asking={asking.get(issue.identifier)}
            />
          ))}
        </ul>
      )}
      <MoreOnBoard count={total - SHOWN} need="running" />
    </section>
  );
}

function RunningRow({ issue, asking }: { issue: Issue; asking: ListedIssue | undefined }) {
  const attempt = useCurrentAttempt(issue.identifier);
  return (
    <li>
      <StatusMark
        status="running"
        asking={asking === undefined ? null : askingOf(asking.requests)}
      />
      <div class="grow">
        <IssueLink identifier={issue.identifier} title={issue.title} />
        <p class="quiet">
          {attempt === undefined ? 'starting' : stepLabel(attempt)}
          {attempt !== undefined && attempt.number > 1 && ` · attempt ${attempt.number}`}
          {attempt !== undefined &&
            attempt.turnCount > 0 &&
            ` · ${plural(attempt.turnCount, 'turn')}`}
        </p>
        {asking?.requests[0] !== undefined && (
          <p class="wrap" dir="auto">
            {questionText(asking.requests[0])}
          </p>
        )}
      </div>
      <span class="row-numbers">
        <TrialMark issue={issue} />
        {issue.tokens.total > 0 && <span>{formatCount(issue.tokens.total)} tok</span>}
        {attempt !== undefined && (
          <Elapsed from={Date.parse(attempt.startedAt ?? attempt.queuedAt)} to={null} />
        )}
      </span>
    </li>
  );
}
