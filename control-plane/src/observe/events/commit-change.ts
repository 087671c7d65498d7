import { commitSteps, expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import type { Database, Statement } from '../../db/database.ts';
import type { StoredEvent } from '../../db/schema/operation/events.ts';
import type { Clock } from '../../ports/ports.ts';
import { type AuditEntry, auditStatement } from '../audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import { appendEvents } from './append-events.ts';

export type ChangeDeps = { db: Database; clock: Clock };

export type Change = {
  /**
   * The compare-and-swap that decides whether the change is stored: if it does not affect exactly
   * one row, nothing is.
   */
  swap?: Statement;
  /** Steps stored with it, in order: rows, effects, further compare-and-swaps. */
  also?: readonly Step[];
  audit?: AuditEntry & { caller: Caller };
  events?: readonly Pick<StoredEvent, 'type' | 'data'>[];
  /** Time of the change, epoch milliseconds; left out: now. */
  nowMs?: number;
};

/**
 * Stores a change with its audit row and events in one batch, and notifies the event streams.
 * Returns false and stores nothing on a conflict with another writer.
 */
export async function commitChange(deps: ChangeDeps, change: Change): Promise<boolean> {
  const { db } = deps;
  const nowMs = change.nowMs ?? deps.clock.nowMs();
  const { swap, audit, events = [] } = change;
  const committed = await commitSteps(deps.db, [
    ...(swap === undefined ? [] : [expectRowsAffected(swap)]),
    ...(change.also ?? []),
    ...(audit === undefined ? [] : [auditStatement(db, nowMs, audit.caller, audit)]),
    ...appendEvents(
      db,
      nowMs,
      events.map(({ type, data }) => ({ type, atMs: nowMs, data })),
    ),
  ]);
  return committed !== null;
}
