import type { IssueNeed, ListedIssue } from '@switchyard/shared/api/work/issue-list';
import { explainReason, reasonLine } from '@switchyard/shared/reasons/explain-reason';
import { isStoppable } from '@switchyard/shared/reasons/needs-of';
import { Link } from '@tanstack/react-router';
import type { ComponentChildren } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useState } from 'preact/hooks';
import { askingOf } from '../../format/asking-of.ts';
import { questionText } from '../../format/question-text.ts';
import { ActionLink } from '../../ui/action-link.tsx';
import { Button } from '../../ui/button.tsx';
import { retryImport } from '../../ui/data/retry-import.ts';
import { Ago, Due } from '../../ui/marks/ago.tsx';
import { PullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { ReviewMark, StatusMark, TrialMark } from '../../ui/marks/status-mark.tsx';
import { useRetry } from '../control/use-retry.ts';

/** Rarely used, so it is not part of the first load. */
const AbortDialog = lazy(() =>
  retryImport(() => import('../control/abort-dialog.tsx')).then((module) => module.AbortDialog),
);

/** What "needs you" counts, as text. */
export const NEEDS_YOU_TEXT =
  'Each issue counts once: questions and plans from agents, issues that are blocked, failed or cannot start, and pull requests to review. Failed webhooks and alerts are on their own pages.';

const NEEDS: Record<IssueNeed, string> = {
  question: 'a question',
  stopped: 'the issue is blocked or failed',
  start: 'the issue cannot go on',
  review: 'a pull request to review',
};

/** An issue that needs a person, by its most urgent need; further needs are listed. */
export function NeedRow({ issue }: { issue: ListedIssue }) {
  const [first, ...rest] = issue.needs;
  // An issue is blocked because its plan waits, so that this is no further need.
  const isPlan = askingOf(issue.requests) === 'plan';
  const further = isPlan ? rest.filter((one) => one !== 'stopped') : rest;
  const also = further.length > 0 && (
    <p class="quiet">Also {further.map((one) => NEEDS[one]).join(', ')}</p>
  );
  if (first === 'question') return <QuestionRow issue={issue}>{also}</QuestionRow>;
  if (first === 'review') return <ReviewRow issue={issue}>{also}</ReviewRow>;
  return <StoppedRow issue={issue}>{also}</StoppedRow>;
}

type RowProps = { issue: ListedIssue; children: ComponentChildren };

/** Link of a row, in the same layout for every need; the issue's name is below. */
function RowLink({ issue, children }: RowProps) {
  return (
    <Link to="/issues/$id" params={{ id: issue.identifier }} className="row-link" dir="auto">
      {children}
    </Link>
  );
}

function QuestionRow({ issue, children }: RowProps) {
  const [request] = issue.requests;
  const isPlan = askingOf(issue.requests) === 'plan';
  return (
    <li>
      <StatusMark status={issue.status} asking={isPlan ? 'plan' : 'question'} />
      <div class="grow">
        <RowLink issue={issue}>
          {request === undefined ? 'The agent has a question' : questionText(request)}
        </RowLink>
        <p class="quiet wrap" dir="auto">
          <span class="mono">{issue.identifier}</span>
          {isPlan && ` · ${issue.title}`}
          {request !== undefined && (
            <>
              {' '}
              · {isPlan ? 'handed in' : 'asked'} <Ago at={request.askedAt} />, expires{' '}
              <Due at={request.expiresAt} />
            </>
          )}
        </p>
        {children}
      </div>
      <Link to="/requests" className="button small primary">
        {isPlan ? 'Decide' : 'Answer'}
      </Link>
    </li>
  );
}

function StoppedRow({ issue, children }: RowProps) {
  const explained = explainReason(issue);
  const action = explained?.action ?? 'retry';
  return (
    <li>
      <StatusMark status={issue.status} />
      <div class="grow">
        <RowLink issue={issue}>{issue.title}</RowLink>
        <p class="quiet wrap" dir="auto">
          <span class="mono">{issue.identifier}</span> · <TrialMark issue={issue} />{' '}
          {reasonLine(issue) ?? 'Waiting for a manual retry.'} · <Ago at={issue.updatedAt} />
        </p>
        {explained !== null && explained.next !== '' && <p class="quiet wrap">{explained.next}</p>}
        {children}
      </div>
      <div class="row-acts">
        {action === 'retry' ? (
          <RetryButton issue={issue} />
        ) : (
          <ActionLink action={action} identifier={issue.identifier} />
        )}
        {isStoppable(issue) && <StopButton issue={issue} />}
      </div>
    </li>
  );
}

function ReviewRow({ issue, children }: RowProps) {
  const [review, ...others] = issue.reviews;
  return (
    <li>
      <ReviewMark />
      <div class="grow">
        <RowLink issue={issue}>{issue.title}</RowLink>
        {review !== undefined && (
          <p class="quiet">
            <span class="mono">{issue.identifier}</span> ·{' '}
            {review.draft ? 'Draft pull request' : 'Pull request'} #{review.number}
            {others.map(({ number }) => `, #${number}`)} · opened <Ago at={review.createdAt} />
          </p>
        )}
        {children}
      </div>
      {review !== undefined && <PullRequestLink url={review.url} label="Review" />}
    </li>
  );
}

/** Stops an issue that should no longer need anybody. */
function StopButton({ issue }: { issue: ListedIssue }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button small aria-label={`Stop ${issue.identifier}`} onClick={() => setAsked(true)}>
        Stop
      </Button>
      {isAsked && (
        <Suspense fallback={null}>
          <AbortDialog issues={[issue]} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </>
  );
}

function RetryButton({ issue }: { issue: ListedIssue }) {
  const retry = useRetry();
  return (
    <Button small aria-label={`Retry ${issue.identifier}`} onClick={() => retry([issue])}>
      Retry
    </Button>
  );
}
