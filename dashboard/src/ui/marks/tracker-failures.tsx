import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { trackerFailureMessage } from '@switchyard/shared/reasons/tracker-failure-message';
import './reason-card.css';

/** Changes that the issue's tracker has not accepted, and what happens next. */
export function TrackerFailures({ issue }: { issue: IssueDetail }) {
  // An older instance, which responds until a newer one takes over, has no such field.
  return (issue.trackerFailures ?? []).map((failure) => {
    const { cause, next } = trackerFailureMessage(failure);
    return (
      <section key={failure.change} class="panel reason-card" aria-label="Not in the tracker">
        <div class="grow">
          <p>
            <strong>{cause}</strong>
          </p>
          <p class="quiet wrap reason-detail" dir="auto">
            {failure.error}
          </p>
          <p>
            <span class="quiet">Next:</span> {next}
          </p>
        </div>
      </section>
    );
  });
}
