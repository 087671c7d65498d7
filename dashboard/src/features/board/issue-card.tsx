import type { Issue } from '@switchyard/shared/api/work/issue';
import type { ListedIssue } from '@switchyard/shared/api/work/issue-list';
import type { State } from '@switchyard/shared/api/work/state';
import { Link } from '@tanstack/react-router';
import { formatCount, plural } from '../../format/format-count.ts';
import { askingOf } from '../../format/asking-of.ts';
import { subIssueProgress } from '../../format/sub-issue-progress.ts';
import { questionText } from '../../format/question-text.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { PriorityMark } from '../../ui/marks/priority-mark.tsx';
import { IssuePullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { ReasonLine } from '../../ui/marks/reason-line.tsx';
import { RunLine } from '../../ui/data/run-line.tsx';
import { ReviewMark, StatusMark, TrialMark } from '../../ui/marks/status-mark.tsx';
import { SlotAnswer } from '../requests/slot-answer.tsx';

const LABELS_SHOWN = 3;

type IssueCardProps = {
  issue: Issue;
  /** What the issue needs a person for; undefined: nothing. */
  needing: ListedIssue | undefined;
  selected: boolean;
  /** Shows only what identifies the issue. */
  compact: boolean;
  paused: State['paused'];
  onDrag: (issue: Issue | null) => void;
};

/** An issue on the board: identifier, state, title and reason, in this order. */
export function IssueCard(props: IssueCardProps) {
  const { issue, needing, selected, compact, paused, onDrag } = props;
  const request = needing?.requests[0];
  const asking = askingOf(needing?.requests ?? []);
  const isReview = needing?.needs[0] === 'review';
  const quiet = issue.status === 'idle';
  return (
    <article
      class={`card ${asking === null ? issue.status : 'asking'} ${selected ? 'selected' : ''}`}
      draggable
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', issue.identifier);
        onDrag(issue);
      }}
      onDragEnd={() => onDrag(null)}
    >
      <header>
        <PriorityMark priority={issue.priority} />
        <span class="mono identifier">{issue.identifier}</span>
        {selected && <span class="visually-hidden">Selected</span>}
        {(!quiet || asking !== null) && !isReview && (
          <StatusMark status={issue.status} asking={asking} />
        )}
        {isReview && <ReviewMark />}
        <TrialMark issue={issue} />
      </header>
      <h3>
        <Link
          to="/issues/$id"
          params={{ id: issue.identifier }}
          className="card-link"
          data-identifier={issue.identifier}
          draggable={false}
          dir="auto"
        >
          {issue.title}
        </Link>
      </h3>
      {!compact && (
        <>
          {issue.status === 'running' && asking === null && (
            <RunLine identifier={issue.identifier} />
          )}
          {request !== undefined && (
            <p class="card-question" dir="auto">
              {questionText(request)}
            </p>
          )}
          {asking !== 'plan' && <ReasonLine issue={issue} paused={paused} />}
          <SlotAnswer issue={issue} paused={paused} />
          <CardFacts issue={issue} />
        </>
      )}
    </article>
  );
}

function CardFacts({ issue }: { issue: Issue }) {
  const labels = issue.labels.slice(0, LABELS_SHOWN);
  const more = issue.labels.length - labels.length;
  const started = issue.attemptCount > 0;
  const isPart = issue.parent != null || (issue.subIssues ?? []).length > 0;
  const isEmpty = labels.length === 0 && !started && !isPart;
  if (isEmpty && issue.pullRequestUrl === null) return null;
  return (
    <footer class="card-facts">
      <TreePlace issue={issue} />
      {labels.map((label) => (
        <span key={label} class="tag">
          {label}
        </span>
      ))}
      {more > 0 && <span class="tag">+{more}</span>}
      <span class="card-numbers">
        {issue.attemptCount > 1 && (
          <span title={plural(issue.attemptCount, 'attempt')}>
            <Icon name="retry" size={12} /> {issue.attemptCount}
          </span>
        )}
        {issue.tokens.total > 0 && (
          <span title={`${issue.tokens.total} tokens`}>{formatCount(issue.tokens.total)} tok</span>
        )}
        <IssuePullRequestLink issue={issue} />
      </span>
    </footer>
  );
}

/** How many sub-issues of an issue have ended, and what it is a part of. */
function TreePlace({ issue }: { issue: Issue }) {
  // An older instance, which responds until a newer one takes over, has no such fields.
  const progress = subIssueProgress(issue.subIssues ?? []);
  return (
    <>
      {progress !== null && (
        <span title={progress.text}>
          <Icon name="tree" size={12} />{' '}
          <span aria-hidden="true">
            {progress.ended}/{progress.total}
          </span>
          <span class="visually-hidden">{progress.text}</span>
        </span>
      )}
      {issue.parent != null && (
        <span>
          in <span class="mono">{issue.parent.identifier}</span>
        </span>
      )}
    </>
  );
}
