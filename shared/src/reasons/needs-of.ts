import type { IssueStatus } from '../api/work/issue.ts';
import type { IssueGroup, IssueNeed } from '../api/work/issue-list.ts';
import type { ReasonCode } from '../api/work/reason-code.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';

/** It goes on only when a person starts it again. */
export const STOPPED_STATUSES = ['blocked', 'failed'] as const satisfies IssueStatus[];

/** While its agent works or will by itself, its open pull request waits for the agent. */
export const AGENT_STATUSES = ['queued', 'running', 'retrying'] as const satisfies IssueStatus[];

/** Statuses in which a code of `PERSON_CODES` keeps an issue where it is. */
export const HELD_STATUSES = [
  'idle',
  'queued',
  'retrying',
  'completed',
] as const satisfies IssueStatus[];

/** Codes with which also an issue that has not stopped waits for a person. */
export const PERSON_CODES: readonly ReasonCode[] = (
  Object.keys(REASON_CATALOGUE) as ReasonCode[]
).filter((code) => REASON_CATALOGUE[code].person === 'always');

/** The statuses of each group that follows from them; `isInGroup` says which issues it has. */
export const GROUP_STATUSES = {
  running: ['running'],
  waiting: ['queued', 'retrying'],
  blocked: ['blocked'],
  failed: ['failed'],
} as const satisfies Record<Exclude<IssueGroup, 'person'>, IssueStatus[]>;

/**
 * Whether an issue is in a group that follows from its status. One that its tracker does not show any more waits
 * for nobody, and so stands in none of what has stopped; while its agent works or will, it counts.
 */
export function isInGroup(
  group: Exclude<IssueGroup, 'person'>,
  { status, isOutOfSight }: Pick<IssueFacts, 'status' | 'isOutOfSight'>,
): boolean {
  const statuses: readonly IssueStatus[] = GROUP_STATUSES[group];
  const stopped: readonly IssueStatus[] = STOPPED_STATUSES;
  return statuses.includes(status) && !(isOutOfSight && stopped.includes(status));
}

/**
 * Whether a person can stop it: it runs or will by itself, has stopped and waits for somebody, or cannot
 * start before somebody does something. What is done is ended by its review.
 */
export function isStoppable({ status, reasonCode }: Pick<IssueFacts, 'status' | 'reasonCode'>) {
  const statuses: readonly IssueStatus[] = [...AGENT_STATUSES, ...STOPPED_STATUSES];
  const cannotStart = status === 'idle' && reasonCode !== null && PERSON_CODES.includes(reasonCode);
  return statuses.includes(status) || cannotStart;
}

export type IssueFacts = {
  status: IssueStatus;
  reasonCode: ReasonCode | null;
  /** Questions of its agent that nobody has answered. */
  openQuestions: number;
  /** Its pull requests that are neither merged nor closed. */
  openPullRequests: number;
  /** It stands in a state of its tracker in which work has ended. */
  isEnded: boolean;
  /** Its tracker does not show it any more. */
  isOutOfSight: boolean;
};

/**
 * What an issue needs a person for, the most urgent first; nothing: it goes on by itself, or is at
 * rest. The one definition of "needs you": the condition by which the database counts and lists is
 * made of the same constants.
 */
export function needsOf({
  status,
  reasonCode,
  openQuestions,
  openPullRequests,
  isEnded,
  isOutOfSight,
}: IssueFacts): IssueNeed[] {
  const needs: IssueNeed[] = [];
  if (isOutOfSight) return needs;
  const isOneOf = (statuses: readonly IssueStatus[]) => statuses.includes(status);
  if (openQuestions > 0) needs.push('question');
  const isHeld = isOneOf(HELD_STATUSES) && reasonCode !== null;
  if (!isEnded && isOneOf(STOPPED_STATUSES)) needs.push('stopped');
  if (!isEnded && isHeld && PERSON_CODES.includes(reasonCode)) needs.push('start');
  if (openPullRequests > 0 && !isOneOf(AGENT_STATUSES)) needs.push('review');
  return needs;
}
