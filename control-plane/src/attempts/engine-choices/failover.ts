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

/** An attempt that continues an issue because the previous attempt's account failed. */
export type Failover = { from: Side; to: Side; reasonCode: ReasonCode };

/**
 * The failover that a new attempt makes; null when the previous attempt did not end by its
 * provider's failure.
 */
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

/** The event that tells an attempt's followers from which attempt it takes over. */
export function failoverEvent(
  failover: Failover,
  { identifier, id: issueId }: Pick<IssueRow, 'identifier' | 'id'>,
  nowMs: number,
): StoredEvent {
  const { attemptId } = failover.to;
  const data = { attemptId, identifier, issueId, ...failover };
  return { type: 'attempt.failover', atMs: nowMs, data };
}

/** The audit entry for the failover that the service decided. */
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
