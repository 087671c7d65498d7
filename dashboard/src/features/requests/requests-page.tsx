import type { HumanRequest } from '@switchyard/shared/api/request';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { allRequestsQuery, openRequestsQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/icon.tsx';
import { Ago } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, QueryView } from '../../ui/panel-states.tsx';
import { AnswerForm } from './answer-form.tsx';

/** Everything agents wait for a person to say, and receipts of what was said. */
export function RequestsPage() {
  const open = useQuery(openRequestsQuery);
  const all = useQuery(allRequestsQuery);
  return (
    <Page title="Requests">
      <div class="column-page">
        <QueryView query={open}>
          {(list) =>
            list.requests.length === 0 ? (
              <EmptyState icon="inbox" title="Nobody waits for you">
                <p>When an agent needs a decision, its question appears here and on its issue.</p>
              </EmptyState>
            ) : (
              list.requests.map((request) => (
                <section key={request.requestId} class="panel asking">
                  <IssueLink identifier={request.identifier} />
                  <AnswerForm request={request} />
                </section>
              ))
            )
          }
        </QueryView>
        <QueryView query={all}>{(list) => <Receipts requests={list.requests} />}</QueryView>
      </div>
    </Page>
  );
}

const STATE_WORDS = {
  asked: 'Waiting',
  answered: 'Answered',
  resumed: 'Answered, agent resumed',
  expired: 'Expired',
} as const;

function Receipts({ requests }: { requests: HumanRequest[] }) {
  const settled = requests.filter((request) => request.state !== 'asked');
  if (settled.length === 0) return null;
  return (
    <section class="receipts">
      <h2>Earlier</h2>
      <ul class="rows">
        {settled.map((request) => (
          <li key={request.requestId}>
            <Icon name={request.state === 'expired' ? 'cancelled' : 'check'} />
            <div class="grow">
              {request.questions.map((question) => (
                <p key={question.id}>
                  {question.question}{' '}
                  <strong>{request.answers?.[question.id]?.join(', ') ?? ''}</strong>
                </p>
              ))}
              <p class="quiet">
                {STATE_WORDS[request.state]}
                {request.answeredBy !== null && ` by ${request.answeredBy}`}{' '}
                <Ago at={request.answeredAt ?? request.askedAt} />
              </p>
            </div>
            <IssueLink identifier={request.identifier} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function IssueLink({ identifier }: { identifier: string }) {
  return (
    <Link to="/issues/$id" params={{ id: identifier }} className="mono">
      {identifier}
    </Link>
  );
}
