import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * A paused upstream, a model provider or code host, to which nothing is dispatched. When the pause
 * is due, one canary attempt tests it, and its success lifts the pause.
 */
export const upstreamPauses = sqliteTable('upstream_pauses', {
  /** `provider:<base url>` or `codehost:<origin>`. */
  upstream: text().primaryKey(),
  reason: text().notNull(),
  /** Null in older rows. */
  reason_code: text().$type<ReasonCode>(),
  /** Consecutive failures: the exponent of the backoff. */
  failures: integer().notNull(),
  due_at_ms: integer().notNull(),
  /** Attempt that tests the upstream; null while none does. */
  canary_attempt_id: text(),
  /** Key of the issue that failed there last: another one should be the next canary. */
  failed_issue: text(),
  since_ms: integer().notNull(),
  /** When the newest failure was recorded, by the clock that set `due_at_ms`; null: since_ms. */
  noted_at_ms: integer(),
});
export type UpstreamPauseRow = typeof upstreamPauses.$inferSelect;
