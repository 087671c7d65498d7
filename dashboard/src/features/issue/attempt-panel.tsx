import { isScriptedModel, SCRIPTED_WORK } from '@switchyard/shared/model-providers/scripted-model';
import { actOfPerson } from '@switchyard/shared/reasons/act-of-person';
import { costText } from '@switchyard/shared/usage/cost-text';
import { isUnfinished } from '@switchyard/shared/reasons/explain-reason';
import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'preact/hooks';
import { engineLabel } from '../../format/engine-label.ts';
import { formatCount, plural } from '../../format/format-count.ts';
import { attemptReason } from '../../format/attempt-reason.ts';
import { phaseLabel } from '../../format/labels.ts';
import { Cost } from '../../ui/marks/cost.tsx';
import { Elapsed } from '../../ui/marks/ago.tsx';
import { AttemptMark, KindMark } from '../../ui/marks/status-mark.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { MessageBox, type MessageGoal } from './messages/message-box.tsx';
import { LogView } from '../log/log-view.tsx';
import { useAttemptLog } from '../log/use-attempt-log.ts';

type AttemptPanelProps = {
  attempt: Attempt;
  issue: IssueDetail;
  /** Destinations of the message box below the log; empty: there is no box here. */
  goals: readonly MessageGoal[];
};

/** One attempt: its state, usage and log. */
export function AttemptPanel({ attempt, issue, goals }: AttemptPanelProps) {
  const { line } = useSearch({ from: '/issues/$id' });
  const navigate = useNavigate({ from: '/issues/$id' });
  const onLink = useCallback(
    (key: string) => {
      const search = { attempt: attempt.attemptId, line: key };
      void navigate({ search, replace: true }).then(() =>
        navigator.clipboard?.writeText(location.href).then(
          () => showToast('Link copied.'),
          () => showToast('The page address now links to this line.'),
        ),
      );
    },
    [navigate, attempt.attemptId],
  );
  const attemptLog = useAttemptLog(attempt.attemptId);
  const live = attempt.endedAt === null;
  const tokens = attempt.tokens.total;
  return (
    <section class="panel log-panel" aria-label={`Attempt ${attempt.number}`}>
      <header class="attempt-head">
        <h2>Attempt {attempt.number}</h2>
        <KindMark attempt={attempt} />
        <AttemptMark attempt={attempt} issue={issue} />
        {live && attempt.phase !== null && <span>{phaseLabel(attempt.phase)}</span>}
        {attempt.startedAt !== null && (
          <Elapsed
            from={Date.parse(attempt.startedAt)}
            to={attempt.endedAt === null ? null : Date.parse(attempt.endedAt)}
          />
        )}
        <span class="spacer" />
        {attempt.turnCount > 0 && <span>{plural(attempt.turnCount, 'turn')}</span>}
        {tokens > 0 && (
          <span title={`${tokens} tokens of this attempt`}>{formatCount(tokens)} tokens</span>
        )}
        {costText(attempt) !== null && <Cost of={attempt} />}
        {attempt.kind !== 'check' && (
          <span
            class="mono"
            title={attempt.engineVersion ?? 'The engine has not told its version yet'}
          >
            {engineLabel(attempt)}
          </span>
        )}
        {attempt.model !== null && <span class="mono">{attempt.model}</span>}
      </header>
      <TrialNote attempt={attempt} />
      <FailoverNote attempt={attempt} all={issue.attempts} />
      <FailureNote attempt={attempt} />
      <LogView
        attemptId={attempt.attemptId}
        attemptLog={attemptLog}
        live={live}
        line={line ?? null}
        onLink={onLink}
      />
      {goals.length > 0 && (
        <div class="steer-box">
          <MessageBox key={attempt.identifier} identifier={attempt.identifier} goals={goals} />
        </div>
      )}
    </section>
  );
}

/** Shown also after a provider was connected, since the script did this work. */
function TrialNote({ attempt }: { attempt: Attempt }) {
  if (!isScriptedModel(attempt.model)) return null;
  return (
    <p class="failover-note wrap">
      <Icon name="help" size={14} />
      <span>{SCRIPTED_WORK}</span>
    </p>
  );
}

/** Links to the attempts before and after on other engines or accounts, after a failover. */
function FailoverNote({ attempt, all }: { attempt: Attempt; all: readonly Attempt[] }) {
  const before = all.find(({ attemptId }) => attemptId === attempt.failedOverFrom);
  const after = all.find(({ failedOverFrom }) => failedOverFrom === attempt.attemptId);
  if (before === undefined && after === undefined) return null;
  return (
    <p class="failover-note wrap">
      <Icon name="retry" size={14} />
      <span>
        {before !== undefined && (
          <>
            Continues <AttemptLink attempt={before} /> ({engineLabel(before)})
            {attemptReason(before) !== null && `: ${attemptReason(before)}`}{' '}
          </>
        )}
        {after !== undefined && (
          <>
            Continued by <AttemptLink attempt={after} /> ({engineLabel(after)}).
          </>
        )}
      </span>
    </p>
  );
}

function AttemptLink({ attempt }: { attempt: Attempt }) {
  return (
    <Link
      to="/issues/$id"
      params={{ id: attempt.identifier }}
      search={{ attempt: attempt.attemptId }}
      replace
    >
      attempt {attempt.number}
    </Link>
  );
}

function FailureNote({ attempt }: { attempt: Attempt }) {
  const isNews = attempt.failureKind !== null || isUnfinished(attempt.reasonCode);
  const why = isNews ? attemptReason(attempt) : null;
  // The person who stopped it is named with the issue's status, and at the end of the log.
  if (actOfPerson(attempt.reasonCode, attempt.errorMessage) !== null) return null;
  if (why === null && attempt.errorMessage === null) return null;
  return (
    <p class="failure-note" role="status">
      {why !== null && <strong>{why}</strong>}
      {attempt.errorMessage !== null && <span>{attempt.errorMessage}</span>}
    </p>
  );
}
