import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Agent sessions of a tracker: people delegated an issue to the agent or mentioned it, and follow
 * it there. Stored as rows, so that updates continue after a restart.
 */
export const agentSessions = sqliteTable(
  'agent_sessions',
  {
    tracker: text().notNull(),
    /** The tracker's own id. */
    session_id: text().notNull(),
    /** Empty when the session concerns no issue. */
    issue_id: text().notNull(),
    /** The tracker's user id of the agent. */
    app_user_id: text().notNull(),
    /** Comment that begins the conversation; null when not known. */
    thread_id: text(),
    /**
     * `open`: gets updates. `resting`: the end was reported, and only new work reopens it.
     * `replaced`: a later session of the issue gets the updates. `gone`: the tracker no longer has
     * it.
     */
    state: text().$type<'open' | 'resting' | 'replaced' | 'gone'>().notNull(),
    /** Key of the last update that was sent; null when there was none. */
    told: text(),
    /** Events of attempts up to this seq were reported. */
    told_seq: integer().notNull().default(0),
    /** Url of the page that the session links to. */
    linked_url: text(),
    /** When the last activity was written. */
    activity_at_ms: integer().notNull(),
    /** When the session must be checked without an event; null: never. */
    due_at_ms: integer(),
    created_at_ms: integer().notNull(),
    /** Increases with each change, for the compare-and-swap of updates. */
    version: integer().notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.tracker, table.session_id] }),
    index('agent_sessions_issue').on(table.tracker, table.issue_id),
    index('agent_sessions_state').on(table.state, table.due_at_ms),
    index('agent_sessions_thread').on(table.thread_id),
    index('agent_sessions_app_user').on(table.app_user_id),
  ],
);
export type AgentSessionRow = typeof agentSessions.$inferSelect;

/** Content of an agent's activity in a session. */
export type ActivityContent =
  | { type: 'thought' | 'elicitation' | 'response' | 'error'; body: string }
  | { type: 'action'; action: string; parameter: string; result?: string };

/** Activities of sessions, sent and waiting, in order; and people's messages. */
export const agentActivities = sqliteTable(
  'agent_activities',
  {
    entry: integer().primaryKey({ autoIncrement: true }),
    /**
     * This service's id, derived so that an activity is sent once; for a person's message the
     * tracker's id.
     */
    activity_id: text().notNull().unique(),
    tracker: text().notNull(),
    session_id: text().notNull(),
    content: text({ mode: 'json' })
      .$type<ActivityContent | { type: 'prompt'; body: string; by: string }>()
      .notNull(),
    /** Whether the activity disappears with the next one. */
    ephemeral: integer({ mode: 'boolean' }).notNull().default(false),
    /** Options to choose from. */
    options: text({ mode: 'json' }).$type<string[]>(),
    outcome: text().$type<'waiting' | 'said' | 'dropped' | 'refused' | 'heard'>().notNull(),
    created_at_ms: integer().notNull(),
  },
  (table) => [
    index('agent_activities_waiting')
      .on(table.tracker, table.session_id, table.entry)
      .where(sql`${table.outcome} = 'waiting'`),
    index('agent_activities_created').on(table.created_at_ms),
  ],
);
export type AgentActivityRow = typeof agentActivities.$inferSelect;
