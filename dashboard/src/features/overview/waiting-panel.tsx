import type { State } from '@switchyard/shared/api/work/state';
import { nextTryAt, waitingWords } from '../../format/waiting-words.ts';
import { Due } from '../../ui/marks/ago.tsx';
import { StatusMark } from '../../ui/marks/status-mark.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { MoreOnBoard } from './more-on-board.tsx';

const SHOWN = 8;

/** What is to be done and is not being done, each with why, and until when where that is known. */
export function WaitingPanel({ state }: { state: State }) {
  const needing = new Set(state.needs_person.map(({ identifier }) => identifier));
  const waiting = [...state.retrying, ...state.queued].filter(
    ({ identifier }) => !needing.has(identifier),
  );
  const total = (state.counts['queued'] ?? 0) + (state.counts['retrying'] ?? 0);
  if (waiting.length === 0) return null;
  return (
    <section class="panel overview-panel" aria-labelledby="waiting">
      <h2 id="waiting">
        Waiting <span class="count">{total}</span>
      </h2>
      <ul class="rows">
        {waiting.slice(0, SHOWN).map((issue) => (
          <li key={`${issue.tracker}:${issue.id}`}>
            <StatusMark status={issue.status} />
            <div class="grow">
              <IssueLink identifier={issue.identifier} title={issue.title} />
              <p class="quiet wrap" dir="auto">
                {waitingWords(issue, state.paused)}
              </p>
            </div>
            <NextTry at={nextTryAt(issue, state.paused)} />
          </li>
        ))}
      </ul>
      <MoreOnBoard count={total - SHOWN} need="waiting" />
    </section>
  );
}

function NextTry({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <span class="row-numbers">
      next retry <Due at={at} />
    </span>
  );
}
