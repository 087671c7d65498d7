import type { MergeQueueEntry, MergeState } from '@switchyard/shared/api/pull-requests/merge-queue';
import { actorText, type Reader } from '@switchyard/shared/reasons/act-of-person';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import { asReasonCode, reasonLine } from '@switchyard/shared/reasons/explain-reason';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import type { Tone } from '../../ui/marks/badge.tsx';
import type { IconName } from '../../ui/marks/icon.tsx';

type Display = { tone: Tone; icon: IconName; label: string };

/** How a state is shown; each has a shape of its own. */
export const MERGE_DISPLAY: Record<MergeState, Display> = {
  waiting: { tone: 'quiet', icon: 'queued', label: 'Waiting' },
  testing: { tone: 'info', icon: 'running', label: 'Testing' },
  returned: { tone: 'warning', icon: 'retry', label: 'Sent back to the agent' },
  held: { tone: 'ask', icon: 'pause', label: 'Held' },
};

/** The state with the place of one that waits: `Waiting, 2nd in line`. */
export function mergeStateText({ state, position }: Pick<MergeQueueEntry, 'state' | 'position'>) {
  const { label } = MERGE_DISPLAY[state];
  if (state !== 'waiting' || position === null) return label;
  return `${label}, ${position === 1 ? 'next' : ordinal(position)} in line`;
}

/** Why the pull request is where it is, as a sentence. */
export function mergeReason({
  reason,
  reasonCode,
}: Pick<MergeQueueEntry, 'reason' | 'reasonCode'>): string {
  // The catalogue's text is about work that an agent cannot mend; here it is about a merge.
  if (reasonCode === 'checks_failed') return `The merge does not pass the checks: ${reason}`;
  // Its own text says what took the pull request out; the catalogue's would say that again.
  if (reasonCode === 'merge_removed') return asSentence(reason);
  const standing = { status: 'idle', reason, reasonCode: asReasonCode(reasonCode) } as const;
  return asSentence(reasonLine(standing) ?? '');
}

/** What a person can do about a pull request that is held; null for any other. */
export function mergeNextStep({
  state,
  reasonCode,
}: Pick<MergeQueueEntry, 'state' | 'reasonCode'>): string | null {
  const code = asReasonCode(reasonCode);
  if (state !== 'held' || code === null) return null;
  // Other codes have a next step for the issue, not for its pull request.
  return code.startsWith('merge_') ? REASON_CATALOGUE[code].next : 'Mend it, then queue it again.';
}

/** Who asked for the merge: `Queued by you`. */
export function enteredByText(enteredBy: string, reader: Reader): string {
  if (enteredBy === 'service') return "Queued by the repository's merge policy";
  return `Queued by ${actorText(enteredBy, reader)}`;
}

const RULES = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

function ordinal(place: number): string {
  return `${place}${ENDINGS[RULES.select(place)] ?? 'th'}`;
}
