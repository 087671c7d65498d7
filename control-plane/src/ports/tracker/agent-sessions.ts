import type { ActivityContent } from '../../db/schema/people/agent-sessions.ts';

/** One thing that an agent says in a session. */
export type AgentActivity = {
  /** A UUID; the same again is said once. */
  id: string;
  sessionId: string;
  content: ActivityContent;
  /** Disappears with the next one. */
  ephemeral: boolean;
  /** Answers to choose from. */
  options: readonly string[] | null;
};

/** How an activity fared: `refused` for what the tracker does not take, `gone` without its session. */
export type ActivityOutcome = 'said' | 'refused' | 'gone';

/** Sessions in which people watch an agent and speak to it, where a tracker has such. */
export interface AgentSessions {
  /** Idempotent by id. Throws a `TrackerError` for whatever may go better later. */
  say(activity: AgentActivity): Promise<ActivityOutcome>;
  /** Shows where the work can be followed, in place of what was shown before. */
  link(sessionId: string, page: { url: string; label: string }): Promise<void>;
  /** Makes the agent the one to whom the issue is delegated, unless somebody is already. */
  takeOver(issueId: string, appUserId: string): Promise<void>;
}

/** What a delivery says about a session, whichever tracker it comes from. */
export type SessionEvent = {
  sessionId: string;
  /** Null where the session is about something else than an issue. */
  issueId: string | null;
  appUserId: string;
  threadId: string | null;
  person: { id: string; name?: string | null; email?: string | null } | null;
  /** Epoch milliseconds of what happened; null where it is not said. */
  atMs: number | null;
  /** A person's words; under this id they may also come as a comment. */
  words: { id: string; text: string } | null;
  /** Null: the session was opened. */
  prompt: { activityId: string; stop: boolean } | null;
};
