import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * An upstream that nothing is dispatched on for now: a model provider or a code host. When it is
 * due, one canary attempt goes first; its success lifts the pause.
 */
export const upstreamPauses = sqliteTable('upstream_pauses', {
  /** `provider:<base url>` or `codehost:<origin>`. */
  upstream: text().primaryKey(),
  reason: text().notNull(),
  /** Null in rows from before it was stored. */
  reason_code: text().$type<ReasonCode>(),
  /** Failures in a row; the exponent of the backoff. */
  failures: integer().notNull(),
  due_at_ms: integer().notNull(),
  /** Attempt that tries it out; null while nothing does. */
  canary_attempt_id: text(),
  /** Issue that failed there last, as tracker, newline, id: another one is the next canary. */
  failed_issue: text(),
  since_ms: integer().notNull(),
  /** When the newest failure was noted, by the clock that `due_at_ms` was reckoned by; null: since_ms. */
  noted_at_ms: integer(),
});
export type UpstreamPauseRow = typeof upstreamPauses.$inferSelect;
