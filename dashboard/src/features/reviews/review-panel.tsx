import type { ReviewList } from '@switchyard/shared/api/pull-requests/review';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import { useQuery } from '@tanstack/react-query';
import { LoadError, Skeleton } from '../../ui/data/query-view.tsx';
import { plural } from '../../format/format-count.ts';
import { AskForReview } from './ask-for-review.tsx';
import { ReviewBadge, ReviewFacts } from './review-facts.tsx';
import { reviewsQuery } from './queries.ts';
import './review-panel.css';

/**
 * The reviews of a pull request by agents. Where the repository has none of its own accord, only a
 * button that asks for one.
 */
export function ReviewPanel({ pullRequest }: { pullRequest: PullRequest }) {
  const { data, error, refetch } = useQuery(reviewsQuery(pullRequest.id));
  if (data === undefined) {
    return (
      <section
        // Mostly the response comes at once, and often there is only a button to show.
        class={error === null ? 'review-awaited' : 'panel review-panel'}
        aria-label="Review"
      >
        {error === null ? (
          <Skeleton lines={1} label="Loading Review" />
        ) : (
          <LoadError error={error} onRetry={() => void refetch()} />
        )}
      </section>
    );
  }
  const [newest] = data.reviews;
  const isOpen = pullRequest.status === 'open';
  const mayAsk =
    isOpen && !pullRequest.draft && pullRequest.codeHost === 'local' && newest?.state !== 'running';
  const ask = mayAsk && <AskForReview pullRequest={pullRequest} isAgain={newest !== undefined} />;
  if (newest === undefined && (data.mode === 'off' || !isOpen)) {
    return mayAsk ? ask : null;
  }
  return (
    <section class="panel review-panel" aria-label="Review">
      <header>
        <h2>Review</h2>
        {newest !== undefined && <ReviewBadge review={newest} />}
      </header>
      {newest === undefined ? (
        <NoReview mode={data.mode} isDraft={pullRequest.draft} />
      ) : (
        <ReviewFacts review={newest} pullRequest={pullRequest} />
      )}
      {ask}
      <EarlierReviews reviews={data.reviews} pullRequest={pullRequest} />
    </section>
  );
}

function NoReview({ mode, isDraft }: { mode: ReviewList['mode']; isDraft: boolean }) {
  if (isDraft)
    return <p class="note">A draft is not reviewed. Its review begins when it is done.</p>;
  return (
    <p class="note">
      No review yet. Another agent reads the pull request when it opens or changes
      {mode === 'require' && ', and must approve it before the merge queue takes it'}.
    </p>
  );
}

type EarlierProps = { reviews: ReviewList['reviews']; pullRequest: PullRequest };

function EarlierReviews({ reviews, pullRequest }: EarlierProps) {
  const [, ...earlier] = reviews;
  if (earlier.length === 0) return null;
  return (
    <details>
      <summary>{plural(earlier.length, 'earlier review')}</summary>
      <ol class="earlier-reviews">
        {earlier.map((review) => (
          <li key={review.number}>
            <header>
              <h3>Review {review.number}</h3>
              <ReviewBadge review={review} />
            </header>
            <ReviewFacts review={review} pullRequest={pullRequest} />
          </li>
        ))}
      </ol>
    </details>
  );
}
