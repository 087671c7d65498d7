import type { Caller } from '../../http/caller/caller.ts';
import type { SessionKey } from './queries.ts';

/** What a person did in the tracker that concerns a session. */
export type SessionInput = SessionKey & {
  /** Null where the session is about something else than an issue. */
  issueId: string | null;
  /** Whom the tracker takes the agent for. */
  appUserId: string;
  /** Comment below which the conversation stands. */
  threadId: string | null;
  /** Who did it, on one line. */
  person: string;
  /** Whether that person may give work. */
  isAllowed: boolean;
  /** Epoch milliseconds of what happened; null where it is not known. */
  atMs: number | null;
  /** The id is that of the comment, where it is one too: it is heard once. */
  words: { id: string; text: string } | null;
  /** Null: the session was opened. */
  prompt: { activityId: string; stop: boolean } | null;
};

/** The same about an issue, with whom the audit names for it. */
export type IssueInput = SessionInput & { issueId: string; caller: Caller };
