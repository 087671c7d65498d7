import type { ActivityContent } from '../../db/schema/people/agent-sessions.ts';

/** One activity that an agent posts in a session. */
export type AgentActivity = {
  /** A UUID, so that a repeated activity is posted once. */
  id: string;
  sessionId: string;
  content: ActivityContent;
  /** Whether the activity disappears with the next one. */
  ephemeral: boolean;
  /** Options to choose from; null: none. */
  options: readonly string[] | null;
};

/**
 * The result of an activity: `refused` when the tracker does not accept it, `gone` when its session
 * was deleted.
 */
export type ActivityOutcome = 'said' | 'refused' | 'gone';

/** Agent sessions, in which people follow an agent and write to it, for trackers that have them. */
export interface AgentSessions {
  /**
   * Posts an activity; idempotent by id. Throws a `TrackerError` for failures that may be
   * transient.
   */
  say(activity: AgentActivity): Promise<ActivityOutcome>;
  /** Sets the page where the work can be followed, replacing the former one. */
  link(sessionId: string, page: { url: string; label: string }): Promise<void>;
  /** Delegates the issue to the agent unless it is delegated already. */
  takeOver(issueId: string, appUserId: string): Promise<void>;
}

/** A webhook's event about a session, independent of the tracker. */
export type SessionEvent = {
  sessionId: string;
  /** The issue; null when the session concerns something else. */
  issueId: string | null;
  appUserId: string;
  threadId: string | null;
  person: { id: string; name?: string | null; email?: string | null } | null;
  /** Time of the event, epoch milliseconds; null when not given. */
  atMs: number | null;
  /** A person's message; it may also arrive as a comment with this id. */
  message: { id: string; text: string } | null;
  /** The activity with the person's message, and whether it stops; null: session just opened. */
  prompt: { activityId: string; stop: boolean } | null;
};
