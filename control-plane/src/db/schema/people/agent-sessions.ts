import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Sessions that a tracker opened for the agent: people delegated an issue to it or mentioned it, and
 * follow it there. Rows, so that a restart goes on telling where it was.
 */
export const agentSessions = sqliteTable(
  'agent_sessions',
  {
    tracker: text().notNull(),
    /** The tracker's own id. */
    session_id: text().notNull(),
    /** '' where it is about no issue. */
    issue_id: text().notNull(),
    /** Whom the tracker takes the agent for. */
    app_user_id: text().notNull(),
    /** Comment below which the conversation stands; null where it is not known. */
    thread_id: text(),
    /**
     * `open`: news are told. `resting`: the end was told, only new work opens it again. `replaced`:
     * a later session of the issue is told. `gone`: the tracker no longer knows it.
     */
    state: text().$type<'open' | 'resting' | 'replaced' | 'gone'>().notNull(),
    /** The standing that was told last, as a key; null when none was. */
    told: text(),
    /** Events of attempts are told up to here. */
    told_seq: integer().notNull().default(0),
    /** The page it links to. */
    linked_url: text(),
    /** When something was last written for it. */
    activity_at_ms: integer().notNull(),
    /** When it wants to be looked at without anything having happened; null: never. */
    due_at_ms: integer(),
    created_at_ms: integer().notNull(),
    /** Rises with each change; the compare-and-swap of what is told. */
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

/** What an agent says in a session. */
export type ActivityContent =
  | { type: 'thought' | 'elicitation' | 'response' | 'error'; body: string }
  | { type: 'action'; action: string; parameter: string; result?: string };

/** What was said in sessions and what waits to be said, in order; and the prompts of people. */
export const agentActivities = sqliteTable(
  'agent_activities',
  {
    entry: integer().primaryKey({ autoIncrement: true }),
    /** Ours: derived, so that the same is said once. A person's: the tracker's. */
    activity_id: text().notNull().unique(),
    tracker: text().notNull(),
    session_id: text().notNull(),
    content: text({ mode: 'json' })
      .$type<ActivityContent | { type: 'prompt'; body: string; by: string }>()
      .notNull(),
    /** Disappears with the next one. */
    ephemeral: integer({ mode: 'boolean' }).notNull().default(false),
    /** Answers to choose from. */
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
