import type { Issue } from '@switchyard/shared/api/work/issue';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { HumanRequest } from '@switchyard/shared/api/work/request';
import type { State } from '@switchyard/shared/api/work/state';
import { explainReason, reasonLine } from '@switchyard/shared/reasons/explain-reason';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ActionLink } from '../../ui/action-link.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Ago, Due } from '../../ui/marks/ago.tsx';
import { PullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { StatusMark } from '../../ui/marks/status-mark.tsx';
import { useRetry } from '../control/use-retry.ts';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { openPullRequestsQuery } from '../../api/queries.ts';
import { useMissingSteps } from './use-missing-steps.ts';
import { Button } from '../../ui/button.tsx';
import { MoreOnBoard } from './more-on-board.tsx';

/** Beyond this many the board is the better place. */
const SHOWN = 6;

/** Questions, what stays as it is until a person does something, and pull requests to review. */
export function NeedsYou(props: {
  state: State;
  /** Undefined while nobody knows. */
  requests: HumanRequest[] | undefined;
}) {
  const { state, requests = [] } = props;
  const reviews = useQuery(openPullRequestsQuery).data?.pullRequests ?? [];
  const parked = issuesForPerson(state);
  const rows = [
    ...requests.map((request) => <Question key={request.requestId} request={request} />),
    ...parked.map((issue) => <IssueForPerson key={`${issue.tracker}:${issue.id}`} issue={issue} />),
    ...reviews.map((pullRequest) => <Review key={pullRequest.id} pullRequest={pullRequest} />),
  ];
  return (
    <section class="panel overview-panel" aria-labelledby="needs-you">
      <h2 id="needs-you">
        Needs you {rows.length > 0 && <span class="count">{rows.length}</span>}
      </h2>
      {rows.length === 0 ? (
        <AllClear isKnown={props.requests !== undefined} />
      ) : (
        <ul class="rows">{rows.slice(0, SHOWN)}</ul>
      )}
      <MoreOnBoard count={rows.length - SHOWN} need={parked.length > 0 ? 'blocked' : 'asking'} />
    </section>
  );
}

/** Issues that wait for a person: those that have stopped, and those that cannot start. */
function issuesForPerson(state: State): Issue[] {
  const failed = state.failed.filter((issue) => issue.status === 'failed');
  return [...state.needs_person, ...state.blocked, ...failed];
}

function AllClear({ isKnown }: { isKnown: boolean }) {
  const missing = useMissingSteps();
  if (!isKnown || missing === undefined) return <p class="all-clear">Status unknown.</p>;
  if (missing.length > 0) {
    return <p class="all-clear">Complete the setup above to start issues.</p>;
  }
  return (
    <p class="all-clear">
      <Icon name="completed" /> You’re all caught up.
    </p>
  );
}

function Review({ pullRequest }: { pullRequest: PullRequest }) {
  const { title, issueIdentifier, number, url, createdAt } = pullRequest;
  return (
    <li>
      <span class="status status-completed">
        <Icon name="pull" size={14} /> Review
      </span>
      <div class="grow">
        <Link to="/issues/$id" params={{ id: issueIdentifier }} className="row-link" dir="auto">
          {title}
        </Link>
        <p class="quiet">
          Pull request #{number} · opened <Ago at={createdAt} />
        </p>
      </div>
      <PullRequestLink url={url} label="Review" />
    </li>
  );
}

function Question({ request }: { request: HumanRequest }) {
  const [first] = request.questions;
  return (
    <li>
      <span class="status status-asking">
        <Icon name="asking" size={14} /> Question
      </span>
      <div class="grow">
        <Link to="/issues/$id" params={{ id: request.identifier }} className="row-link" dir="auto">
          {first?.question ?? 'The agent has a question'}
        </Link>
        <p class="quiet">
          <span class="mono">{request.identifier}</span> · asked <Ago at={request.askedAt} />,
          expires <Due at={request.expiresAt} />
        </p>
      </div>
      <Link to="/requests" className="button small primary">
        Answer
      </Link>
    </li>
  );
}

function IssueForPerson({ issue }: { issue: Issue }) {
  const words = explainReason(issue);
  const action = words?.action ?? 'retry';
  return (
    <li>
      <StatusMark status={issue.status} />
      <div class="grow">
        <IssueLink identifier={issue.identifier} title={issue.title} />
        <p class="quiet wrap" dir="auto">
          {reasonLine(issue) ?? 'Waiting for a manual retry.'} · <Ago at={issue.updatedAt} />
        </p>
        {words !== null && words.next !== '' && <p class="quiet wrap">{words.next}</p>}
      </div>
      {action === 'retry' ? (
        <RetryButton issue={issue} />
      ) : (
        <ActionLink action={action} identifier={issue.identifier} />
      )}
    </li>
  );
}

function RetryButton({ issue }: { issue: Issue }) {
  const retry = useRetry();
  return (
    <Button
      small
      aria-label={`Retry ${issue.identifier}`}
      onClick={() => retry([issue.identifier])}
    >
      Retry
    </Button>
  );
}
