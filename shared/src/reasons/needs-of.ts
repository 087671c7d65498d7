import type { IssueStatus } from '../api/work/issue.ts';
import type { IssueGroup, IssueNeed } from '../api/work/issue-list.ts';
import type { ReasonCode } from '../api/work/reason-code.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';

/** Statuses that only a person can end, by starting the issue again. */
export const STOPPED_STATUSES = ['blocked', 'failed'] as const satisfies IssueStatus[];

/**
 * Statuses in which an agent works or will start by itself, so an open pull request waits for the
 * agent.
 */
export const AGENT_STATUSES = ['queued', 'running', 'retrying'] as const satisfies IssueStatus[];

/** Statuses in which a code of `PERSON_CODES` prevents an issue from continuing. */
export const HELD_STATUSES = [
  'idle',
  'queued',
  'retrying',
  'completed',
] as const satisfies IssueStatus[];

/** Codes with which an issue waits for a person although it has not stopped. */
export const PERSON_CODES: readonly ReasonCode[] = (
  Object.keys(REASON_CATALOGUE) as ReasonCode[]
).filter((code) => REASON_CATALOGUE[code].person === 'always');

/**
 * Statuses of each group that depends on the status; `isInGroup` decides which issues belong to it.
 */
export const GROUP_STATUSES = {
  running: ['running'],
  waiting: ['queued', 'retrying'],
  blocked: ['blocked'],
  failed: ['failed'],
} as const satisfies Record<Exclude<IssueGroup, 'person'>, IssueStatus[]>;

/**
 * Whether an issue belongs to a group that depends on its status. An issue that its tracker no
 * longer shows waits for nobody, so it is in no group of stopped issues; while its agent works or
 * will work, it counts.
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
 * Whether a person can stop the issue: it runs or will run by itself, has stopped and waits for
 * somebody, or cannot start before somebody acts. Completed work ends with its review instead.
 */
export function isStoppable({ status, reasonCode }: Pick<IssueFacts, 'status' | 'reasonCode'>) {
  const statuses: readonly IssueStatus[] = [...AGENT_STATUSES, ...STOPPED_STATUSES];
  const cannotStart = status === 'idle' && reasonCode !== null && PERSON_CODES.includes(reasonCode);
  return statuses.includes(status) || cannotStart;
}

export type IssueFacts = {
  status: IssueStatus;
  reasonCode: ReasonCode | null;
  /** Number of the agent's unanswered questions. */
  openQuestions: number;
  /** Number of pull requests that are neither merged nor closed. */
  openPullRequests: number;
  /** The issue is in a final state of its tracker. */
  isEnded: boolean;
  /** Its tracker no longer shows the issue. */
  isOutOfSight: boolean;
};

/**
 * What an issue needs a person for, the most urgent first; empty: it continues by itself, or is at
 * rest. The only definition of "needs you": the database's condition for counts and lists is built
 * from the same constants.
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
