import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { DeliverButton } from './deliver-button.tsx';
import { isStopping } from '@switchyard/shared/reasons/attempt-status';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ComponentProps } from 'preact';
import {
  issuePullRequestQuery,
  issueQuery,
  openRequestsQuery,
  stateQuery,
} from '../../api/queries.ts';
import { askingOf } from '../../format/asking-of.ts';
import { firstStartText } from '../../format/waiting-text.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { PriorityMark } from '../../ui/marks/priority-mark.tsx';
import { isShownByCard, ReasonCard } from '../../ui/marks/reason-card.tsx';
import { ReasonLine } from '../../ui/marks/reason-line.tsx';
import { StatusMark } from '../../ui/marks/status-mark.tsx';
import { TrackerFailures } from '../../ui/marks/tracker-failures.tsx';
import { focusMessage } from '../control/message-field.tsx';
import { useIssueRead } from '../notifications/use-issue-read.ts';
import { AttemptChecks } from '../checks/attempt-checks.tsx';
import { AttemptFiles } from '../evidence/attempt-files.tsx';
import { RequestForm } from '../requests/request-form.tsx';
import { SlotAnswer } from '../requests/slot-answer.tsx';
import { IssueTree } from '../tree/issue-tree.tsx';
import { AttemptList } from './attempt-list.tsx';
import { AttemptPanel } from './attempt-panel.tsx';
import { ChangesPanel } from './changes-panel.tsx';
import { Checkpoints } from './checkpoints.tsx';
import { Comments } from './messages/comments.tsx';
import { IssueActions } from './issue-actions.tsx';
import { IssueFacts } from './issue-facts.tsx';
import type { MessageGoal } from './messages/message-box.tsx';
import { LanesPanel } from './lanes/lanes-panel.tsx';
import { PublishButton } from './publish-button.tsx';
import { PullRequestFacts } from './pull-request-facts.tsx';
import { useIssueKeys } from './use-issue-keys.ts';
import { ViewSwitch } from './view-switch.tsx';
import './issue.css';

/** One issue: its current activity, the reason for its state, and its history. */
export function IssuePage() {
  const { id } = useParams({ from: '/issues/$id' });
  const issue = useQuery(issueQuery(id));
  const title = issue.data === undefined ? id : `${id} ${issue.data.title}`;
  return (
    <Page
      title={title}
      fixed
      heading={<Heading id={id} issue={issue.data} />}
      actions={issue.data && <IssueActions issue={issue.data} />}
    >
      <QueryView query={issue} skeletonLines={10}>
        {(detail) => <IssueBody issue={detail} />}
      </QueryView>
    </Page>
  );
}

function Heading({ id, issue }: { id: string; issue: IssueDetail | undefined }) {
  return (
    <div class="issue-heading">
      <Link to="/board" className="icon-button" aria-label="Back to the board">
        <Icon name="back" />
      </Link>
      <span class="mono identifier">{id}</span>
      {issue && (
        <>
          <h1 dir="auto">{issue.title}</h1>
          <PriorityMark priority={issue.priority} />
        </>
      )}
    </div>
  );
}

/** Work that is refused until it is changed. */
const NOT_AS_IT_IS: ReadonlySet<Attempt['reasonCode']> = new Set(['work_refused', 'checks_failed']);

/** Whether the work is complete and fails its checks, so that a person may still want to see it. */
function isUnchecked({ status, reasonCode, pullRequestUrl }: IssueDetail): boolean {
  return status === 'blocked' && reasonCode === 'checks_failed' && pullRequestUrl === null;
}

/** Whether an attempt's undelivered work can be delivered as it is, without an agent. */
function isKept(attempt: IssueDetail['attempts'][number] | undefined): boolean {
  if (attempt?.commitSha == null || NOT_AS_IT_IS.has(attempt.reasonCode)) return false;
  return attempt.failureKind === 'delivery_refused' || attempt.failureKind === 'delivery_error';
}

/** Whether the attempt's agent can receive messages. */
function isLive(attempt: Attempt | undefined): boolean {
  if (attempt?.status !== 'running' || attempt.kind === 'check') return false;
  return attempt.phase === 'streaming';
}

/** Destinations of a message about an issue; only the built-in tracker accepts comments here. */
function messageGoals({ attempts, tracker }: IssueDetail): MessageGoal[] {
  return [
    ...(attempts.some(isLive) ? (['agent'] as const) : []),
    ...(tracker === 'local' ? (['comment'] as const) : []),
  ];
}

function IssueBody({ issue }: { issue: IssueDetail }) {
  const { attempt: chosen, view } = useSearch({ from: '/issues/$id' });
  useIssueKeys(issue, chosen);
  useIssueRead(issue.identifier);
  const requests = useQuery(openRequestsQuery);
  const paused = useQuery(stateQuery).data?.paused ?? null;
  const asked =
    requests.data?.requests.filter((request) => request.identifier === issue.identifier) ?? [];
  const attempt = selectedAttempt(issue, chosen);
  const failure = issue.attempts[0]?.failureKind ?? null;
  const goals = messageGoals(issue);
  // The box is below the log if that is shown and its attempt's agent can receive messages;
  // otherwise it is below the comments.
  const isBelowLog = goals.includes('agent') && view === undefined && isLive(attempt);
  return (
    <div class="issue">
      <div class="issue-main">
        <div class="issue-state">
          <StatusMark
            status={issue.status}
            asking={askingOf(asked)}
            stopping={issue.attempts.some(isStopping)}
          />
          <span class="tag">{issue.state}</span>
          {issue.parent != null && (
            <p class="part-of">
              Part of <IssueLink identifier={issue.parent.identifier} />
            </p>
          )}
          {(asked.length > 0 || !isShownByCard(issue)) && (
            <WhyItStands issue={issue} paused={paused} failure={failure} />
          )}
          <SlotAnswer issue={issue} paused={paused} />
          {issue.status === 'blocked' && isKept(issue.attempts[0]) && (
            <DeliverButton identifier={issue.identifier} />
          )}
          {isUnchecked(issue) && <PublishButton identifier={issue.identifier} />}
          {attempt !== undefined && <ViewSwitch identifier={issue.identifier} />}
        </div>
        {asked.length === 0 && (
          <ReasonCard issue={issue} write={goals.length > 0 ? <WriteButton /> : null} />
        )}
        <TrackerFailures issue={issue} />
        <IssueTree key={issue.identifier} issue={issue} />
        {asked.map((request) => (
          <section
            key={request.requestId}
            class="panel asking"
            aria-label={request.plan === null ? 'Question from the agent' : 'Plan from the agent'}
          >
            <RequestForm request={request} />
          </section>
        ))}
        {attempt !== undefined && view === undefined && (
          <div key={attempt.attemptId} class="attempt-results">
            <AttemptChecks attemptId={attempt.attemptId} />
            <AttemptFiles attemptId={attempt.attemptId} />
          </div>
        )}
        <MainPanel issue={issue} attempt={attempt} view={view} goals={isBelowLog ? goals : []} />
      </div>
      <aside class="issue-side" aria-label="About this issue">
        <Description text={issue.description} />
        <AttemptList issue={issue} selectedId={attempt?.attemptId} />
        <IssueFacts issue={issue} />
        <PullRequestFacts issue={issue} />
        {attempt !== undefined && <Checkpoints attempt={attempt} />}
        {issue.tracker === 'local' && (
          <Comments
            key={issue.identifier}
            identifier={issue.identifier}
            goals={isBelowLog ? [] : goals}
          />
        )}
      </aside>
    </div>
  );
}

/** The reason for the issue's state; for delivered work, whether it was merged. */
function WhyItStands(props: ComponentProps<typeof ReasonLine>) {
  const { identifier, reasonCode, pullRequestUrl } = props.issue;
  const enabled = reasonCode === 'pull_request_opened' && pullRequestUrl !== null;
  const { data } = useQuery({ ...issuePullRequestQuery(identifier), enabled });
  if (!enabled || data?.pullRequest.status !== 'merged') return <ReasonLine {...props} />;
  return <p class="reason">The pull request is merged.</p>;
}

function WriteButton() {
  return (
    <Button primary onClick={focusMessage}>
      Write a comment
    </Button>
  );
}

type MainPanelProps = {
  issue: IssueDetail;
  attempt: Attempt | undefined;
  view: string | undefined;
  goals: readonly MessageGoal[];
};

/** Reasons of an issue whose work its sub-issues do, so that it needs no attempt of its own. */
const OF_PARTS: ReadonlySet<IssueDetail['reasonCode']> = new Set([
  'sub_issues_open',
  'sub_issues_done',
  'sub_issues_canceled',
]);

function MainPanel({ issue, attempt, view, goals }: MainPanelProps) {
  if (attempt === undefined)
    return OF_PARTS.has(issue.reasonCode) ? null : <NoAttempt issue={issue} />;
  if (view === 'changes') return <ChangesPanel issue={issue} />;
  if (view === 'timeline') return <LanesPanel issue={issue} />;
  return <AttemptPanel key={attempt.attemptId} {...{ attempt, issue, goals }} />;
}

/** The attempt in the address, otherwise the running one, otherwise the latest. */
function selectedAttempt(issue: IssueDetail, chosen: string | undefined): Attempt | undefined {
  const wanted = chosen ?? issue.currentAttemptId;
  return issue.attempts.find((attempt) => attempt.attemptId === wanted) ?? issue.attempts[0];
}

function NoAttempt({ issue }: { issue: IssueDetail }) {
  const waiting = issue.status === 'queued';
  return (
    <section class="panel log-panel">
      <EmptyState icon="queued" title={waiting ? 'Waiting for a runner' : 'No attempt yet'}>
        <p>{firstStartText(issue)}</p>
      </EmptyState>
    </section>
  );
}

function Description({ text }: { text: string | null }) {
  return (
    <section class="side-section">
      <h2>Description</h2>
      {text === null || text.trim() === '' ? (
        <p class="quiet">No description.</p>
      ) : (
        <div class="description" tabIndex={0} role="region" aria-label="Description">
          <Markdown text={text} />
        </div>
      )}
    </section>
  );
}
