import type { Database, Statement } from '../../db/database.ts';
import { audit } from '../../db/schema/operation/audit.ts';
import type { Caller } from '../../http/caller/caller.ts';

export type AuditEntry = {
  operation: string;
  subject?: string;
  details?: Record<string, unknown>;
};

/** The audit row of a mutation, for the batch that makes it. Never contains a secret. */
export function auditStatement(
  db: Database,
  nowMs: number,
  caller: Caller,
  entry: AuditEntry,
): Statement {
  return db.insert(audit).values({
    at_ms: nowMs,
    actor: caller.actor,
    source: caller.source,
    operation: entry.operation,
    path: caller.path,
    subject: entry.subject ?? null,
    request_id: caller.requestId,
    details: entry.details ?? {},
  });
}
