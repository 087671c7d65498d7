import type { Review } from '@switchyard/shared/api/pull-requests/review';
import { actorText, type Reader } from '@switchyard/shared/reasons/act-of-person';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import type { FindingSeverity, ReviewFinding } from '@switchyard/shared/review/review-result';
import { showUnseen } from '../../format/show-unseen.ts';
import type { Tone } from '../../ui/marks/badge.tsx';
import type { IconName } from '../../ui/marks/icon.tsx';

type Display = { tone: Tone; icon: IconName; label: string };

const UNDECIDED: Record<Review['state'], Display> = {
  waiting: { tone: 'warning', icon: 'retry', label: 'Repeated later' },
  running: { tone: 'info', icon: 'running', label: 'In progress' },
  done: { tone: 'quiet', icon: 'dot', label: 'Done' },
  failed: { tone: 'bad', icon: 'failed', label: 'No verdict' },
};

const DECIDED: Record<NonNullable<Review['verdict']>, Display> = {
  approved: { tone: 'good', icon: 'completed', label: 'Approved' },
  changes_requested: { tone: 'warning', icon: 'message', label: 'Changes requested' },
};

export const SEVERITY_DISPLAY: Record<FindingSeverity, Display> = {
  must: { tone: 'bad', icon: 'warning', label: 'Must be changed' },
  should: { tone: 'quiet', icon: 'dot', label: 'Could be better' },
};

/** How a review is shown: by its verdict, or by its state without one. */
export function reviewDisplay({ state, verdict }: Pick<Review, 'state' | 'verdict'>): Display {
  return state === 'done' && verdict !== null ? DECIDED[verdict] : UNDECIDED[state];
}

/** Why a review has no verdict, as a sentence; null where its state says everything. */
export function reviewReason({ state, reason }: Pick<Review, 'state' | 'reason'>): string | null {
  return state === 'waiting' || state === 'failed' ? asSentence(reason) : null;
}

/** The findings with those first that must be changed. */
export function orderedFindings(findings: readonly ReviewFinding[]): ReviewFinding[] {
  const { must = [], should = [] } = Object.groupBy(findings, ({ severity }) => severity);
  return [...must, ...should];
}

/** Where a finding is: `src/a.ts:3`; null for one about the whole change. */
export function placeOf({ path, line }: Pick<ReviewFinding, 'path' | 'line'>): string | null {
  if (path === null) return null;
  return line === null ? showUnseen(path) : `${showUnseen(path)}:${line}`;
}

/** Who asked for a review: `Asked for by you`. */
export function askedByText(askedBy: string, reader: Reader): string {
  if (askedBy === 'service') return "Asked for by the repository's review policy";
  return `Asked for by ${actorText(askedBy, reader)}`;
}
