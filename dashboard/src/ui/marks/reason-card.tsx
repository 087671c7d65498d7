import type { Issue } from '@switchyard/shared/api/work/issue';
import { explainReason, waitsForPerson } from '@switchyard/shared/reasons/explain-reason';
import { ActionLink } from '../action-link.tsx';
import './reason-card.css';

/** What a person has to know and do about an issue that waits for one; nothing for any other. */
export function ReasonCard({ issue }: { issue: Issue }) {
  const words = waitsForPerson(issue) ? explainReason(issue) : null;
  if (words === null || words.cause === '') return null;
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
      {!isHere && <ActionLink action={words.action} identifier={issue.identifier} />}
    </section>
  );
}
