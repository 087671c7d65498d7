import { useQuery } from '@tanstack/react-query';
import { useNeedingPerson } from '../../api/issue-lists.ts';
import { allRequestsQuery } from '../../api/queries.ts';
import { askingOf } from '../../format/asking-of.ts';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { NEEDS_YOU_TEXT, NeedRow } from './need-row.tsx';
import { Receipts } from './receipts.tsx';
import { RequestForm } from './request-form.tsx';
import './requests.css';

/** Everything that waits for a person, and receipts of earlier answers. */
export function RequestsPage() {
  const { query, counts, issues } = useNeedingPerson();
  const all = useQuery(allRequestsQuery);
  const total = counts?.person ?? 0;
  const asking = issues.filter(({ requests }) => requests.length > 0);
  const others = issues.filter(({ requests }) => requests.length === 0);
  return (
    <Page title="Inbox">
      <div class="column-page">
        <QueryView query={query}>
          {() =>
            total === 0 ? (
              <EmptyState icon="inbox" title="No open questions">
                <p>{NEEDS_YOU_TEXT}</p>
              </EmptyState>
            ) : (
              <>
                <p class="quiet">
                  {total === 1 ? '1 issue needs you.' : `${total} issues need you.`}{' '}
                  {NEEDS_YOU_TEXT}
                </p>
                {asking.length === 0 && <p>No open questions</p>}
                {asking.map(({ identifier, title, requests }) => (
                  <section
                    key={identifier}
                    class="panel asking"
                    aria-label={`${askingOf(requests) === 'plan' ? 'Plan for' : 'Question on'} ${identifier}`}
                  >
                    <IssueLink identifier={identifier} title={title} />
                    {requests.map((request) => (
                      <RequestForm key={request.requestId} request={request} />
                    ))}
                  </section>
                ))}
                {others.length > 0 && (
                  <ul class="rows panel" aria-label="Other issues that need you">
                    {others.map((issue) => (
                      <NeedRow key={`${issue.tracker}:${issue.id}`} issue={issue} />
                    ))}
                  </ul>
                )}
              </>
            )
          }
        </QueryView>
        <LoadMore query={query} shown={issues.length} total={total} />
        <QueryView query={all}>{(list) => <Receipts requests={list.requests} />}</QueryView>
      </div>
    </Page>
  );
}
