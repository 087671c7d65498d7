import type { Issue } from '@switchyard/shared/api/issue';
import type { HumanRequest } from '@switchyard/shared/api/request';
import type { State } from '@switchyard/shared/api/state';
import { Link } from '@tanstack/react-router';
import { reasonWords } from '../../format/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { Ago, Due } from '../../ui/moment.tsx';
import { StatusMark } from '../../ui/status-mark.tsx';
import { useRetry } from '../control/use-retry.ts';
import { IssueLink } from './issue-link.tsx';

/** Beyond this many the board is the better place. */
const SHOWN = 6;

/** Questions, and what stays as it is until a person does something. */
export function NeedsYou(props: {
  state: State;
  /** Undefined while nobody knows. */
  requests: HumanRequest[] | undefined;
}) {
  const { state, requests = [] } = props;
  const parked = [...state.blocked, ...state.failed.filter((issue) => issue.status === 'failed')];
  const total = requests.length + parked.length;
  return (
    <section class="panel overview-panel" aria-labelledby="needs-you">
      <h2 id="needs-you">Needs you {total > 0 && <span class="count">{total}</span>}</h2>
      {total === 0 && props.requests === undefined ? (
        <p class="all-clear">Not known yet.</p>
      ) : total === 0 ? (
        <p class="all-clear">
          <Icon name="completed" /> Nothing waits for a person.
        </p>
      ) : (
        <ul class="rows">
          {requests.slice(0, SHOWN).map((request) => (
            <Question key={request.requestId} request={request} />
          ))}
          {parked.slice(0, Math.max(0, SHOWN - requests.length)).map((issue) => (
            <Parked key={`${issue.tracker}:${issue.id}`} issue={issue} />
          ))}
        </ul>
      )}
      {total > SHOWN && (
        <p class="panel-more">
          <Link to="/board" search={{ need: parked.length > 0 ? 'blocked' : 'asking' }}>
            {total - SHOWN} more on the board
          </Link>
        </p>
      )}
    </section>
  );
}

function Question({ request }: { request: HumanRequest }) {
  const [first] = request.questions;
  return (
    <li>
      <span class="status status-asking">
        <Icon name="asking" size={14} /> Asks
      </span>
      <div class="grow">
        <Link to="/issues/$id" params={{ id: request.identifier }} className="row-link" dir="auto">
          {first?.question ?? 'The agent asks something'}
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

function Parked({ issue }: { issue: Issue }) {
  const retry = useRetry();
  return (
    <li>
      <StatusMark status={issue.status} />
      <div class="grow">
        <IssueLink issue={issue} />
        <p class="quiet wrap" dir="auto">
          {issue.reason === null ? 'Waits until somebody retries it' : reasonWords(issue.reason)} ·{' '}
          <Ago at={issue.updatedAt} />
        </p>
      </div>
      <button
        type="button"
        class="button small"
        aria-label={`Retry ${issue.identifier}`}
        onClick={() => retry([issue.identifier])}
      >
        Retry
      </button>
    </li>
  );
}
