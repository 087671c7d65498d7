import type { IssueStatus } from '../api/work/issue.ts';
import type { ReasonCode } from '../api/work/reason-code.ts';
import { needsOf, STOPPED_STATUSES } from './needs-of.ts';
import { actText, type Reader } from './act-of-person.ts';
import { asSentence } from './as-sentence.ts';
import { type ActionEntry, REASON_ACTIONS, type ReasonAction } from './reason-actions.ts';
import { REASON_CATALOGUE } from './reason-catalogue.ts';
import { troubleOfWaiting } from './upstream-trouble.ts';

/**
 * The reason for an issue's status, worded for people. `detail`: facts beyond the cause, or null.
 */
export type ExplainedReason = {
  cause: string;
  detail: string | null;
  next: string;
  action: ReasonAction;
};

/** Prefix of the agent's own text in the reason of an issue that is blocked. */
export const BLOCKED_PREFIX = 'the agent is blocked: ';

type Standing = {
  status: IssueStatus;
  reason: string | null;
  reasonCode: ReasonCode | null;
  /** Its tracker no longer shows the issue; left out: unknown. */
  outOfSight?: boolean;
  /** Why the service does not query the issue's tracker, as a text. */
  outOfSightReason?: string | null | undefined;
};

/**
 * The catalogue's texts for a reason. A reason without a code predates codes: its own text is
 * everything there is, and `cause` and `next` are empty. Null where there is no reason. An action
 * of `reader` is "by you".
 */
export function explainReason(
  { status, reason, reasonCode, outOfSight = false, outOfSightReason = null }: Standing,
  reader: Reader = null,
): ExplainedReason | null {
  // The codes of the tracker already explain where the issue went.
  if (outOfSight && reasonCode !== 'tracker_gone' && reasonCode !== 'tracker_excluded') {
    const code = outOfSightReason === null ? 'tracker_gone' : 'tracker_excluded';
    const { cause, next, action } = REASON_CATALOGUE[code];
    const before = reasonLine({ status, reason, reasonCode }, reader);
    const parts = [
      ...(outOfSightReason === null ? [] : [outOfSightReason]),
      ...(before === null ? [] : [`before that “${before.replace(/\.$/, '')}”`]),
    ];
    return { cause, detail: parts.length === 0 ? null : parts.join('; '), next, action };
  }
  if (reasonCode === null) {
    if (reason === null) return null;
    const action = isParked(status) ? 'retry' : 'none';
    return { cause: '', detail: reason, next: '', action };
  }
  const { next, action, person, hasDetail, ...entry } = REASON_CATALOGUE[reasonCode];
  const act = actText(reasonCode, reason, reader);
  const cause = act === null ? entry.cause : `${asSentence(act)}.`;
  const own = reason === null ? null : ownMessage(reasonCode, reason);
  const detail = hasDetail && act === null ? own : null;
  if (status === 'retrying' && person !== 'always') {
    return {
      cause,
      detail,
      next: 'Nothing to do: another attempt starts by itself.',
      action: 'none',
    };
  }
  return { cause, detail, next, action };
}

/** The reason's own text without the prefix that repeats its code's cause. */
function ownMessage(code: ReasonCode, reason: string): string {
  if (code === 'agent_blocked') return reason.replace(BLOCKED_PREFIX, '');
  return OF_UPSTREAM.test(code) ? troubleOfWaiting(reason) : reason;
}
const OF_UPSTREAM = /^(?:provider|codehost)_/;

/** Whether the issue stays in its state until a person acts. */
export function waitsForPerson({
  status,
  reasonCode,
  outOfSight = false,
}: Omit<Standing, 'reason'>): boolean {
  const alone = { openQuestions: 0, openPullRequests: 0, isEnded: false, isOutOfSight: outOfSight };
  return needsOf({ status, reasonCode, ...alone }).length > 0;
}

/** A reason code from an event or a newer service; null for an unknown one. */
export function asReasonCode(value: unknown): ReasonCode | null {
  if (typeof value !== 'string' || !Object.hasOwn(REASON_CATALOGUE, value)) return null;
  return value as ReasonCode;
}

/**
 * Whether an attempt ended normally, but without a status line saying that its work is done or
 * blocked.
 */
export function isUnfinished(code: ReasonCode | null): boolean {
  return code === 'work_left' || code === 'ended_without_result';
}

/** Cause and detail in one line, for places without room for more. */
export function reasonLine(standing: Standing, reader: Reader = null): string | null {
  const explained = explainReason(standing, reader);
  if (explained === null) return null;
  const { cause, detail } = explained;
  if (detail === null) return cause;
  return cause === '' ? detail : `${cause.replace(/\.$/, '')}: ${detail}`;
}

/** The button or link of an action for an issue; null for `none`. */
export function actionFor(action: ReasonAction, identifier: string): ActionEntry | null {
  if (action === 'none') return null;
  const { label, path, command } = REASON_ACTIONS[action];
  const filled = (text: string) => text.replaceAll('{issue}', encodeURIComponent(identifier));
  return { label, path: filled(path), ...(command && { command: filled(command) }) };
}

function isParked(status: IssueStatus): boolean {
  return STOPPED_STATUSES.some((stopped) => stopped === status);
}
