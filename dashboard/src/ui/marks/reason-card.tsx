import type { Issue } from '@switchyard/shared/api/work/issue';
import { explainReason, waitsForPerson } from '@switchyard/shared/reasons/explain-reason';
import type { ComponentChildren } from 'preact';
import { ActionLink } from '../action-link.tsx';
import './reason-card.css';

type ReasonCardProps = {
  issue: Issue;
  /**
   * The button that leads to the message box, shown where the reason requires a message; null:
   * there is no box.
   */
  write: ComponentChildren;
};

/** The texts of an issue's card; null: it has no card. */
function cardText(issue: Issue) {
  const explained = waitsForPerson(issue) ? explainReason(issue) : null;
  return explained === null || explained.cause === '' ? null : explained;
}

/**
 * Whether the card shows the reason for an issue's state, so that the rest of the page need not.
 */
export function isShownByCard(issue: Issue): boolean {
  return issue.nextRetryAt === null && cardText(issue) !== null;
}

/** What a person must know and do about an issue that waits for one; nothing for any other. */
export function ReasonCard({ issue, write }: ReasonCardProps) {
  const explained = cardText(issue);
  if (explained === null) return null;
  // The issue's page already has buttons for these actions at its head.
  const isHere = ['retry', 'deliver_again', 'open_issue'].includes(explained.action);
  return (
    <section class="panel reason-card" aria-label="What to do">
      <div class="grow">
        <p>
          <strong>{explained.cause}</strong>
        </p>
        {explained.detail !== null && (
          <p class="quiet wrap reason-detail" dir="auto">
            {explained.detail}
          </p>
        )}
        <p>
          <span class="quiet">Next:</span> {explained.next}
        </p>
      </div>
      {explained.action === 'open_issue' && write}
      {!isHere && <ActionLink action={explained.action} identifier={issue.identifier} />}
    </section>
  );
}
