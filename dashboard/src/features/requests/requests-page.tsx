import { useQuery } from '@tanstack/react-query';
import { allRequestsQuery, openRequestsQuery } from '../../api/queries.ts';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { AnswerForm } from './answer-form.tsx';
import { Receipts } from './receipts.tsx';

/** Everything agents wait for a person to say, and receipts of what was said. */
export function RequestsPage() {
  const open = useQuery(openRequestsQuery);
  const all = useQuery(allRequestsQuery);
  return (
    <Page title="Inbox">
      <div class="column-page">
        <QueryView query={open}>
          {(list) =>
            list.requests.length === 0 ? (
              <EmptyState icon="inbox" title="No open questions">
                <p>Questions from agents appear here and on their issues.</p>
              </EmptyState>
            ) : (
              list.requests.map((request) => (
                <section
                  key={request.requestId}
                  class="panel asking"
                  aria-label={`Question on ${request.identifier}`}
                >
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
