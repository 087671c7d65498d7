import { isUnfinished } from '@switchyard/shared/reasons/explain-reason';
import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { Link } from '@tanstack/react-router';
import { engineLabel } from '../../format/engine-label.ts';
import { formatCount } from '../../format/format-count.ts';
import { useReader } from '../../api/queries.ts';
import { attemptMessage, attemptReason } from '../../format/attempt-reason.ts';
import { Ago, Elapsed } from '../../ui/marks/ago.tsx';
import { AttemptMark, KindMark } from '../../ui/marks/status-mark.tsx';

/** Every attempt of the issue, newest first; selecting one shows its log. */
export function AttemptList(props: { issue: IssueDetail; selectedId: string | undefined }) {
  const { issue, selectedId } = props;
  return (
    <section class="side-section">
      <h2>
        Attempts <span class="count">{issue.attempts.length}</span>
      </h2>
      {issue.attempts.length === 0 && <p class="quiet">No attempts yet.</p>}
      <ol class="attempts">
        {issue.attempts.map((attempt) => (
          <li key={attempt.attemptId}>
            <Link
              to="/issues/$id"
              params={{ id: issue.identifier }}
              search={{ attempt: attempt.attemptId }}
              replace
              className="attempt"
              aria-current={attempt.attemptId === selectedId}
            >
              <span class="mono">#{attempt.number}</span>
              <AttemptMark attempt={attempt} issue={issue} />
              <KindMark attempt={attempt} />
              <AttemptNumbers attempt={attempt} />
              {attempt.kind !== 'check' && <AttemptEngine attempt={attempt} all={issue.attempts} />}
              <AttemptReason attempt={attempt} />
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

function AttemptNumbers({ attempt }: { attempt: Attempt }) {
  const ended = attempt.endedAt === null ? null : Date.parse(attempt.endedAt);
  return (
    <span class="attempt-numbers">
      {attempt.startedAt === null ? (
        <Ago at={attempt.queuedAt} />
      ) : (
        <Elapsed from={Date.parse(attempt.startedAt)} to={ended} />
      )}
      {attempt.tokens.total > 0 && <span>{formatCount(attempt.tokens.total)} tok</span>}
    </span>
  );
}

/** The engine of an attempt, and the attempt that it continues on another engine or account. */
function AttemptEngine({ attempt, all }: { attempt: Attempt; all: readonly Attempt[] }) {
  const before = all.find(({ attemptId }) => attemptId === attempt.failedOverFrom);
  return (
    <span class="attempt-reason">
      <span class="mono">{engineLabel(attempt)}</span>
      {attempt.failedOverFrom !== null && (
        <> · continues {before === undefined ? 'an earlier attempt' : `#${before.number}`}</>
      )}
    </span>
  );
}

function AttemptReason({ attempt }: { attempt: Attempt }) {
  const isNews = attempt.failureKind !== null || isUnfinished(attempt.reasonCode);
  const reader = useReader();
  const text = isNews ? attemptReason(attempt) : attemptMessage(attempt, reader);
  return text === null ? null : <span class="attempt-reason">{text}</span>;
}
