import type { Issue } from '@switchyard/shared/api/work/issue';
import { explainReason, waitsForPerson } from '@switchyard/shared/reasons/explain-reason';
import type { ComponentChildren } from 'preact';
import { ActionLink } from '../action-link.tsx';
import './reason-card.css';

type ReasonCardProps = {
  issue: Issue;
  /** The way to the box in which one writes to the agent, where words are wanted; null: there is no box. */
  write: ComponentChildren;
};

/** What the card says; null: an issue has none. */
function cardText(issue: Issue) {
  const words = waitsForPerson(issue) ? explainReason(issue) : null;
  return words === null || words.cause === '' ? null : words;
}

/** Whether the card says why an issue stands, so that nothing else on its page has to. */
export function isShownByCard(issue: Issue): boolean {
  return issue.nextRetryAt === null && cardText(issue) !== null;
}

/** What a person has to know and do about an issue that waits for one; nothing for any other. */
export function ReasonCard({ issue, write }: ReasonCardProps) {
  const words = cardText(issue);
  if (words === null) return null;
  // Its own page has the buttons for these at its head.
  const isHere = ['retry', 'deliver_again', 'open_issue'].includes(words.action);
  return (
    <section class="panel reason-card" aria-label="What to do">
      <div class="grow">
        <p>
          <strong>{words.cause}</strong>
        </p>
        {words.detail !== null && (
          <p class="quiet wrap reason-detail" dir="auto">
            {words.detail}
          </p>
        )}
        <p>
          <span class="quiet">Next:</span> {words.next}
        </p>
      </div>
      {words.action === 'open_issue' && write}
      {!isHere && <ActionLink action={words.action} identifier={issue.identifier} />}
    </section>
  );
}
