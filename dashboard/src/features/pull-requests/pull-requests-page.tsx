import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { pullRequestListQuery } from '../../api/queries.ts';
import { DiffCount } from '../../ui/diff/diff-count.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { PullRequestMark } from '../../ui/marks/pull-request-mark.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';

/** Pull requests of the built-in code host, open ones first. */
export function PullRequestsPage() {
  const open = useInfiniteQuery(pullRequestListQuery('open'));
  const merged = useInfiniteQuery(pullRequestListQuery('merged'));
  const closed = useInfiniteQuery(pullRequestListQuery('closed'));
  const isNone = [open, merged, closed].every(({ data }) => data?.pages[0]?.total === 0);
  return (
    <Page title="Pull requests">
      <div class="column-page wide">
        {isNone ? (
          <EmptyState icon="pull" title="No pull requests yet">
            <p>Pull requests from agents appear here for review.</p>
          </EmptyState>
        ) : (
          <>
            <Part title="Open" query={open} />
            <Part title="Merged" query={merged} />
            <Part title="Closed" query={closed} />
          </>
        )}
      </div>
    </Page>
  );
}

type List = ReturnType<
  typeof useInfiniteQuery<
    { pullRequests: PullRequest[]; total: number },
    Error,
    { pages: { pullRequests: PullRequest[]; total: number }[] }
  >
>;

/** Pull requests with one status, page by page; nothing where there are none. */
function Part({ title, query }: { title: string; query: List }) {
  const total = query.data?.pages[0]?.total;
  const rows = query.data?.pages.flatMap((page) => page.pullRequests) ?? [];
  if (total === 0) return null;
  return (
    <section aria-label={`${title} pull requests`}>
      <h2>
        {title} {total !== undefined && <span class="count">{total}</span>}
      </h2>
      <QueryView query={query}>
        {() => (
          <ul class="rows panel">
            {rows.map((pullRequest) => (
              <Row key={pullRequest.id} pullRequest={pullRequest} />
            ))}
          </ul>
        )}
      </QueryView>
      {query.hasNextPage && <LoadMore query={query} shown={rows.length} total={total ?? 0} />}
    </section>
  );
}

function Row({ pullRequest }: { pullRequest: PullRequest }) {
  return (
    <li>
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
  );
}
