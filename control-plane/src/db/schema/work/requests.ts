import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Question } from '@switchyard/shared/api/work/question';

/** Questions that agents ask people. The first answer counts. */
export const requests = sqliteTable(
  'requests',
  {
    request_id: text().primaryKey(),
    attempt_id: text().notNull(),
    epoch: integer().notNull(),
    identifier: text().notNull(),
    /** The engine's own id, unique within (attempt, epoch). */
    engine_request_id: text().notNull(),
    state: text().$type<'asked' | 'answered' | 'resumed' | 'expired'>().notNull(),
    questions: text({ mode: 'json' }).$type<Question[]>().notNull(),
    /** The plan that the request hands in, as Markdown; null: the agent only asks. */
    plan: text(),
    answers: text({ mode: 'json' }).$type<Record<string, string[]>>(),
    answered_by: text(),
    asked_at_ms: integer().notNull(),
    answered_at_ms: integer(),
    expires_at_ms: integer().notNull(),
  },
  (table) => [
    index('requests_attempt').on(table.attempt_id, table.state),
    index('requests_state').on(table.state, table.expires_at_ms),
  ],
);
export type RequestRow = typeof requests.$inferSelect;

/** Placeholder for the attempt id of messages from before the issue's first attempt. */
export function beforeFirstAttempt(issue: { tracker: string; id: string }): string {
  return `before:${issue.tracker}:${issue.id}`;
}

/**
 * Messages of people to an agent, repeated to the runner until it confirms them. Those that an
 * attempt did not receive are added to the prompt of the next one.
 */
export const steers = sqliteTable(
  'steers',
  {
    message_id: text().primaryKey(),
    /** The attempt, or `beforeFirstAttempt` when there is none yet. */
    attempt_id: text().notNull(),
    body: text().notNull(),
    actor: text().notNull(),
    created_at_ms: integer().notNull(),
    delivered_at_ms: integer(),
    /** The later attempt whose prompt contains the message; delivered with its first turn. */
    carried_by: text(),
  },
  (table) => [index('steers_attempt').on(table.attempt_id, table.delivered_at_ms)],
);
