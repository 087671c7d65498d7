import { costText } from '@switchyard/shared/usage/cost-text';
import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { Runner } from '@switchyard/shared/api/runner';
import { formatCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/time.ts';
import type { Reader } from '@switchyard/shared/reasons/act-of-person';
import { attemptMessage, attemptReason } from '../../format/attempt-reason.ts';
import { attemptStatus } from '@switchyard/shared/reasons/attempt-status';

export type ComparedRow = {
  name: string;
  left: string;
  right: string;
  differs: boolean;
  /** Only for numbers: the difference of the right attempt from the left one. */
  change: string | null;
  /** The value is Markdown by the agent. */
  prose: boolean;
};

/** What an attempt is read with; `runners` are those whose names are known. */
type Known = { runners: readonly Runner[]; issue?: IssueDetail | undefined; reader?: Reader };

type Fact = {
  name: string;
  /** The name where both attempts only plan. */
  nameOfPlans?: string;
  of: (attempt: Attempt, known: Known) => string;
  figure?: (attempt: Attempt) => number;
  prose?: true;
};

const NONE = '–';

const KINDS: Partial<Record<Attempt['kind'], string>> = { plan: 'Plan', check: 'Merge test' };

/** A fact of the agent's work, which a merge test has none of. */
const ofAgent =
  (of: (attempt: Attempt) => string) =>
  (attempt: Attempt): string =>
    attempt.kind === 'check' ? NONE : of(attempt);

const FACTS: Fact[] = [
  { name: 'Kind', of: ({ kind }) => KINDS[kind] ?? NONE },
  { name: 'Outcome', of: (one, { issue }) => attemptStatus(one, issue).word },
  { name: 'Reason', of: (one) => attemptReason(one) ?? NONE },
  { name: 'Message', of: (one, { reader }) => attemptMessage(one, reader) ?? NONE },
  {
    name: 'Duration',
    of: (one) => (tookMs(one) === 0 ? NONE : formatDuration(tookMs(one))),
    figure: tookMs,
  },
  {
    name: 'Turns',
    of: ofAgent((one) => String(one.turnCount)),
    figure: (one) => one.turnCount,
  },
  {
    name: 'Tokens',
    of: ofAgent((one) => formatCount(one.tokens.total)),
    figure: (one) => one.tokens.total,
  },
  { name: 'Cached', of: ofAgent((one) => formatCount(one.tokens.cachedInput)) },
  {
    name: 'Output tokens',
    of: ofAgent((one) => formatCount(one.tokens.output)),
    figure: (one) => one.tokens.output,
  },
  {
    name: 'Cost',
    of: (one) => costText(one) ?? NONE,
    figure: (one) => one.costUsd ?? 0,
  },
  { name: 'Engine', of: ofAgent((one) => one.engine) },
  { name: 'Engine version', of: (one) => one.engineVersion ?? NONE },
  { name: 'Account', of: (one) => one.account ?? NONE },
  { name: 'Model', of: (one) => one.model ?? NONE },
  { name: 'Reasoning effort', of: (one) => one.reasoningEffort ?? NONE },
  { name: 'Runner', of: (one, { runners }) => runnerName(one, runners) },
  { name: 'Leases', of: (one) => String(one.leaseEpoch) },
  { name: 'Branch', of: (one) => one.branch ?? NONE },
  { name: 'Commit', of: (one) => one.commitSha?.slice(0, 12) ?? NONE },
  { name: 'Summary', nameOfPlans: 'Plan', of: (one) => one.summary ?? NONE, prose: true },
];

/** Facts of two attempts side by side; a fact that both lack is left out. */
export function compareAttempts(left: Attempt, right: Attempt, known: Known): ComparedRow[] {
  const isPlans = left.kind === 'plan' && right.kind === 'plan';
  return FACTS.map(({ name, nameOfPlans = name, of, figure, prose }) => ({
    name: isPlans ? nameOfPlans : name,
    left: of(left, known),
    right: of(right, known),
    differs: of(left, known) !== of(right, known),
    change: figure === undefined ? null : changeOf(figure(left), figure(right)),
    prose: prose === true,
  })).filter((row) => row.left !== NONE || row.right !== NONE);
}

function runnerName({ runnerId }: Attempt, runners: readonly Runner[]): string {
  if (runnerId === null) return NONE;
  return runners.find((runner) => runner.runnerId === runnerId)?.name ?? runnerId;
}

function tookMs({ startedAt, endedAt }: Attempt): number {
  return startedAt === null || endedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt);
}

function changeOf(left: number, right: number): string | null {
  if (left <= 0 || right <= 0 || left === right) return null;
  const percent = Math.round((right / left - 1) * 100);
  if (percent === 0) return null;
  return percent > 0 ? `+${percent} %` : `−${-percent} %`;
}
