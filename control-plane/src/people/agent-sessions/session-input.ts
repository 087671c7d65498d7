import type { Caller } from '../../http/caller/caller.ts';
import type { SessionKey } from './queries.ts';

/** A person's action in the tracker that concerns a session. */
export type SessionInput = SessionKey & {
  /** The issue; null when the session concerns something else. */
  issueId: string | null;
  /** The tracker's user id of the agent. */
  appUserId: string;
  /** Comment that begins the conversation; null when there is none. */
  threadId: string | null;
  /** The person's name, on one line. */
  person: string;
  /** Whether that person may give work to the agent. */
  isAllowed: boolean;
  /** Time of the action, epoch milliseconds; null when not known. */
  atMs: number | null;
  /** The message; its id is that of the comment if it is one too, so that it is handled once. */
  message: { id: string; text: string } | null;
  /** The activity with the person's message, and whether it stops; null: session just opened. */
  prompt: { activityId: string; stop: boolean } | null;
};

/** A session event about an issue, with the caller for the audit. */
export type IssueInput = SessionInput & { issueId: string; caller: Caller };
