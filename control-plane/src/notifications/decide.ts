import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import { SCRIPTED_SUFFIX } from '@switchyard/shared/model-providers/scripted-model';
import { explainReason, reasonLine } from '@switchyard/shared/reasons/explain-reason';
import type { NotificationType } from '@switchyard/shared/api/notification';

/** A channel's settings that decide which notifications it gets. */
export type ChannelTaste = {
  name: string;
  verbosity: 'off' | 'critical' | 'verbose';
  types?: readonly NotificationType[] | undefined;
};

const CRITICAL: ReadonlySet<NotificationType> = new Set(['worker_retry', 'worker_failed']);

/** Severity by type; only retries and failed attempts are critical. */
export function severityOf(type: NotificationType): 'info' | 'critical' {
  return CRITICAL.has(type) ? 'critical' : 'info';
}

/** Whether a channel gets a notification. `onlyTo` lists channels if the sender chose some. */
export function channelWants(
  channel: ChannelTaste,
  notification: { type: NotificationType; onlyTo: readonly string[] | null },
): boolean {
  if (channel.verbosity === 'off') return false;
  if (channel.verbosity === 'critical') return CRITICAL.has(notification.type);
  if (channel.types !== undefined && !channel.types.includes(notification.type)) return false;
  return notification.onlyTo === null || notification.onlyTo.includes(channel.name);
}

/** The end of an attempt and the new state of its issue, as a notification describes them. */
export type EndView = {
  identifier: string;
  number: number;
  outcome: string;
  marker: 'DONE' | 'BLOCKED' | null;
  /** The issue's status after the end. */
  status: IssueStatus;
  reason: string;
  reasonCode: ReasonCode;
  /** Consecutive failures, including this one. */
  failureCount: number;
  /** The model provider or code host failed, not the work. */
  upstreamFailed: boolean;
  /** The attempt ran a trial's scripted model. */
  onTrial: boolean;
};

/** The notification of an attempt's end; null when none is needed. */
export function noticeOfEnd(end: EndView): { type: NotificationType; message: string } | null {
  const { identifier, number } = end;
  const line = reasonLine(end);
  const next = explainReason(end)?.next ?? '';
  const mark = end.onTrial ? SCRIPTED_SUFFIX : '';
  const who = `Attempt ${number} of ${identifier}${mark}`;
  if (end.status === 'completed') {
    return { type: 'worker_completed', message: `${who} finished: ${line}` };
  }
  if (end.reasonCode === 'plan_waiting') {
    return { type: 'input_requested', message: `The plan for ${identifier}${mark} waits. ${next}` };
  }
  if (end.outcome === 'completed' && end.status === 'blocked') {
    return {
      type: 'input_requested',
      message: `${identifier}${mark} is blocked and needs a person: ${line} ${next}`,
    };
  }
  if (end.status === 'failed' || (end.outcome === 'failed' && end.status === 'blocked')) {
    return { type: 'worker_failed', message: `${who} failed: ${line} ${next}` };
  }
  if (end.outcome === 'completed' || end.status !== 'retrying') return null;
  // During an upstream's outage every try fails alike, so only the 1st, 2nd, 4th, 8th … is
  // reported.
  if (end.upstreamFailed && !isPowerOfTwo(end.failureCount)) return null;
  return { type: 'worker_retry', message: `${who} failed and is retried: ${line}` };
}

function isPowerOfTwo(count: number): boolean {
  return count > 0 && Number.isInteger(Math.log2(count));
}
