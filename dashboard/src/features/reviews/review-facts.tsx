import type { Review } from '@switchyard/shared/api/pull-requests/review';
import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { ReviewFinding } from '@switchyard/shared/review/review-result';
import { cutText } from '@switchyard/shared/text/cut-text';
import { Link } from '@tanstack/react-router';
import { useReader } from '../../api/queries.ts';
import { plural } from '../../format/format-count.ts';
import { showUnseen } from '../../format/show-unseen.ts';
import { Ago, TextWithTimes } from '../../ui/marks/ago.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import {
  askedByText,
  orderedFindings,
  placeOf,
  reviewDisplay,
  reviewReason,
  SEVERITY_DISPLAY,
} from './review-display.ts';

const COMMIT_CHARS = 12;

export function ReviewBadge({ review }: { review: Review }) {
  const { tone, icon, label } = reviewDisplay(review);
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}

type FactsProps = { review: Review; pullRequest: PullRequest };

/** What a review is about, what it says, and what it found. Its texts are an agent's. */
export function ReviewFacts({ review, pullRequest }: FactsProps) {
  const { summary, findingsLeftOut, returned } = review;
  const reason = reviewReason(review);
  const findings = orderedFindings(review.findings);
  return (
    <div class="review-facts">
      <Origin review={review} pullRequest={pullRequest} />
      {reason !== null && (
        <p class="wrap" dir="auto">
          <TextWithTimes text={reason} />
        </p>
      )}
      {summary !== null && summary !== '' && (
        <p class="review-text" dir="auto">
          {showUnseen(summary)}
        </p>
      )}
      {findings.length > 0 && (
        <ul class="findings" aria-label={`Findings of review ${review.number}`}>
          {findings.map((finding, index) => (
            <Finding key={index} finding={finding} />
          ))}
        </ul>
      )}
      {findingsLeftOut > 0 && (
        <p class="quiet">{plural(findingsLeftOut, 'more finding')} left out.</p>
      )}
      {returned && <p class="quiet">Given to the author&apos;s agent.</p>}
    </div>
  );
}

/** The reviewed commit, who reads it, and who asked for that. */
function Origin({ review, pullRequest }: FactsProps) {
  const { commitSha, attemptId, engine, model, askedBy, number, state, updatedAt } = review;
  const reader = useReader();
  const worker = [engine, model].filter((name) => name !== null).join(', ');
  return (
    <p class="quiet wrap">
      Of {commitSha === pullRequest.commitSha ? 'commit' : 'an earlier commit,'}{' '}
      <code title={commitSha}>{cutText(commitSha, COMMIT_CHARS)}</code>
      {worker !== '' && ` · by ${worker}`}
      {attemptId !== null && (
        <>
          {' · '}
          <Link
            to="/issues/$id"
            params={{ id: pullRequest.issueIdentifier }}
            search={{ attempt: attemptId }}
          >
            {state === 'running' ? 'Running attempt' : 'Attempt'}
            <span class="visually-hidden"> of review {number}</span>
          </Link>
        </>
      )}
      {' · '}
      {askedByText(askedBy, reader)} · updated <Ago at={updatedAt} />
    </p>
  );
}

function Finding({ finding }: { finding: ReviewFinding }) {
  const { tone, icon, label } = SEVERITY_DISPLAY[finding.severity];
  const place = placeOf(finding);
  return (
    <li>
      <p class="finding-line">
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
        {place === null ? (
          <span class="quiet">Whole change</span>
        ) : (
          <code class="mono" dir="ltr">
            {place}
          </code>
        )}
      </p>
      <p class="review-text" dir="auto">
        {showUnseen(finding.text)}
      </p>
    </li>
  );
}
