import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { StoredEvent } from '../../db/schema/operation/events.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { AuditEntry } from '../../observe/audit/audit-statement.ts';
import { type Caller, SERVICE_CALLER } from '../../http/caller/caller.ts';
import { isProviderCode } from './is-provider-code.ts';

type Side = { attemptId: string; engine: string; account: string | null; model: string | null };

/** One attempt that goes on where another one's account did not work any more. */
export type Failover = { from: Side; to: Side; reasonCode: ReasonCode };

/** What a new attempt continues; null when the one before did not end for its provider. */
export function failoverOf(
  before: AttemptRow,
  next: { attemptId: string; spec: AttemptSpec },
): Failover | null {
  const { reason_code: reasonCode, model, account } = before;
  if (reasonCode === null || !isProviderCode(reasonCode)) return null;
  const { engine } = next.spec;
  return {
    from: { attemptId: before.attempt_id, engine: engineName(before.engine), account, model },
    to: {
      attemptId: next.attemptId,
      engine: engineName(engine.name),
      account: engine.account ?? null,
      model: engine.model,
    },
    reasonCode,
  };
}

/** What those who follow an attempt are told of the one before it. */
export function failoverEvent(
  failover: Failover,
  { identifier, id: issueId }: Pick<IssueRow, 'identifier' | 'id'>,
  nowMs: number,
): StoredEvent {
  const { attemptId } = failover.to;
  const data = { attemptId, identifier, issueId, ...failover };
  return { type: 'attempt.failover', atMs: nowMs, data };
}

/** The service's own decision, for the audit log. */
export function failoverAudit(
  failover: Failover,
  { identifier }: Pick<IssueRow, 'identifier'>,
): AuditEntry & { caller: Caller } {
  return {
    caller: { ...SERVICE_CALLER, path: 'dispatch' },
    operation: 'attempt.failover',
    subject: identifier,
    details: failover,
  };
}
