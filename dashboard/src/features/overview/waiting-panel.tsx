import type { State } from '@switchyard/shared/api/work/state';
import { useNeedingPerson } from '../../api/issue-lists.ts';
import { nextTryAt, waitingText } from '../../format/waiting-text.ts';
import { Due } from '../../ui/marks/ago.tsx';
import { useNow } from '../../ui/marks/use-now.ts';
import { StatusMark, TrialMark } from '../../ui/marks/status-mark.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { SlotAnswer } from '../requests/slot-answer.tsx';
import { MoreOnBoard } from './more-on-board.tsx';

const SHOWN = 8;
const NOW_MS = 1_000;

/** Issues that wait, each with the reason, and until when where that is known. */
export function WaitingPanel({ state }: { state: State }) {
  const { counts } = useNeedingPerson();
  const waiting = [...state.retrying, ...state.queued];
  const total = counts?.waiting ?? waiting.length;
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
                <TrialMark issue={issue} /> {waitingText(issue, state.paused)}
              </p>
              <SlotAnswer issue={issue} paused={state.paused} />
            </div>
            <NextTry issue={issue} paused={state.paused} />
          </li>
        ))}
      </ul>
      <MoreOnBoard count={total - SHOWN} need="waiting" />
    </section>
  );
}

function NextTry({ issue, paused }: { issue: State['queued'][number]; paused: State['paused'] }) {
  const nowMs = useNow(NOW_MS, { active: issue.nextRetryAt !== null });
  const at = nextTryAt(issue, paused, nowMs);
  if (at === null) return null;
  return (
    <span class="row-numbers">
      next retry <Due at={at} />
    </span>
  );
}
