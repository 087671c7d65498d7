import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { pullRequestsQuery } from '../../api/queries.ts';
import { DiffCount } from '../../ui/diff/diff-count.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { PullRequestMark } from '../../ui/marks/pull-request-mark.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';

/** What agents delivered to the built-in code host, open ones first. */
export function PullRequestsPage() {
  const list = useQuery(pullRequestsQuery);
  return (
    <Page title="Pull requests">
      <div class="column-page wide">
        <QueryView query={list}>
          {({ pullRequests }) =>
            pullRequests.length === 0 ? (
              <EmptyState icon="pull" title="No pull requests yet">
                <p>Pull requests from agents appear here for review.</p>
              </EmptyState>
            ) : (
              <ul class="rows panel">
                {pullRequests
                  .toSorted(
                    (a, b) =>
                      Number(b.status === 'open') - Number(a.status === 'open') ||
                      b.number - a.number,
                  )
                  .map((pullRequest) => (
                    <li key={pullRequest.id}>
                      <PullRequestMark pullRequest={pullRequest} />
                      <div class="grow">
                        <Link
                          to="/pull-requests/$id"
                          params={{ id: pullRequest.id }}
                          className="row-link"
                          dir="auto"
                        >
                          {pullRequest.title}
                        </Link>
                        <p class="quiet">
                          <span class="mono">
                            #{pullRequest.number} {pullRequest.branch}
                          </span>{' '}
                          · <Ago at={pullRequest.updatedAt} />
                        </p>
                      </div>
                      <DiffCount
                        additions={pullRequest.diffStat.insertions}
                        deletions={pullRequest.diffStat.deletions}
                      />
                      <IssueLink identifier={pullRequest.issueIdentifier} />
                    </li>
                  ))}
              </ul>
            )
          }
        </QueryView>
      </div>
    </Page>
  );
}
