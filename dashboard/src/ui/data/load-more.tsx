import { Problem } from '../marks/problem.tsx';
import { Button } from '../button.tsx';
import './load-more.css';

export type PagedQuery = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
};

/** The number of loaded items of a long list, and a button for more. */
export function LoadMore(props: { query: PagedQuery; shown: number; total: number }) {
  const { query, shown, total } = props;
  if (shown === 0) return null;
  return (
    <div class="load-more">
      <span class="quiet" role="status">
        {shown} of {total}
      </span>
      {query.isFetchNextPageError && <Problem error={query.error} />}
      {query.hasNextPage && (
        <Button
          icon="down"
          small
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? 'Loading' : 'Show more'}
        </Button>
      )}
    </div>
  );
}
