import type { Attempt } from '@switchyard/shared/api/work/attempt';
import { actText, type Reader } from '@switchyard/shared/reasons/act-of-person';
import { asReasonCode, reasonLine } from '@switchyard/shared/reasons/explain-reason';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import { failureLabel } from './labels.ts';

/**
 * Why an attempt ended, in one sentence; null while it runs, and where there is nothing to explain.
 */
export function attemptReason(attempt: Pick<Attempt, 'reasonCode' | 'failureKind'>): string | null {
  const code = asReasonCode(attempt.reasonCode);
  if (code !== null) return REASON_CATALOGUE[code].cause;
  return attempt.failureKind === null ? null : failureLabel(attempt.failureKind);
}

/** The service's own message about an attempt's end. */
export function attemptMessage(
  { reasonCode, errorMessage }: Pick<Attempt, 'reasonCode' | 'errorMessage'>,
  reader: Reader = null,
): string | null {
  const act = actText(asReasonCode(reasonCode), errorMessage, reader);
  return act === null ? errorMessage : asSentence(act);
}

/** The reason in an event, on one line; empty when it has none. */
export function eventReason(data: Record<string, unknown>, reader: Reader = null): string {
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : '');
  const reason = text('reason') || text('message') || text('error');
  const status = (text('status') || 'idle') as IssueStatus;
  const reasonCode = asReasonCode(data['reasonCode']);
  return asSentence(reasonLine({ status, reason: reason || null, reasonCode }, reader) ?? '');
}
