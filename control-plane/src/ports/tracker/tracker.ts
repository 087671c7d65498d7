import type { AgentSessions } from './agent-sessions.ts';
import type { OnUnreadable } from './unreadable-record.ts';

/** An issue as the port to a tracker returns it. */
export type TrackerIssue = {
  /** The tracker's own id; rows have the key (tracker, id). */
  id: string;
  identifier: string;
  title: string;
  description: string | null;
  /** 1 urgent … 4 low; 0 or null: none. */
  priority: number | null;
  state: string;
  branchName: string | null;
  url: string | null;
  labels: string[];
  assigneeId: string | null;
  blockedBy: { id: string; identifier: string; state: string | null; terminal: boolean }[];
  /** The issue that it is a part of; null: none. Left out: the tracker does not tell. */
  parent?: { id: string; identifier: string } | null;
  /** Its parts; left out: the tracker does not tell. */
  subIssues?: { id: string; identifier: string; state: string | null; terminal: boolean }[];
  createdAtMs: number;
  updatedAtMs: number;
  /**
   * Whatever the adapter needs to find the issue again, opaque to others. Null together with
   * `unroutable` means that the issue is no longer at its place, because it was moved or archived.
   */
  nativeRef: string | null;
  /** Why the issue must not be worked on, for people; null or left out: it may be. */
  unroutable?: string | null;
  /** `unroutable` applies only before the first attempt and stops no work. */
  unroutableAtStart?: boolean;
  /**
   * New location of a transferred issue by the tracker's name; `unroutable` explains it to people.
   */
  movedTo?: string;
};

/** A sub-issue to create. */
export type SubIssuePlan = {
  title: string;
  description?: string;
  priority: number | null;
  labels: string[];
  /** Ids of issues that must be done before it. */
  blockedByIds: string[];
  /** Positions, from 0, of those in the same list that must be done before it. */
  blockedByParts: number[];
};

export type TrackerErrorCategory =
  | 'transport'
  | 'status'
  | 'response'
  | 'pagination'
  | 'rate_limited'
  | 'auth';

export class TrackerError extends Error {
  readonly category: TrackerErrorCategory;
  /** Time before which a retry is useless, epoch milliseconds; undefined: not known. */
  readonly retryAtMs: number | undefined;
  /** The tracker understood and refused the request, for example for a missing record. */
  readonly isRefusal: boolean;
  constructor(
    category: TrackerErrorCategory,
    message: string,
    more: { retryAtMs?: number | undefined; isRefusal?: boolean } = {},
  ) {
    super(message);
    this.name = 'TrackerError';
    this.category = category;
    this.retryAtMs = more.retryAtMs;
    this.isRefusal = more.isRefusal ?? false;
  }
}

export type StateRoles = {
  active: string[];
  terminal: string[];
  started: string | null;
  review: string | null;
  blocked: string | null;
};

/** The states that the tracker showed before and after a move. */
export type SeenMove = {
  before: string;
  state: string;
  /** The tracker's time of the issue's last change, epoch milliseconds; null: not known. */
  updatedAtMs: number | null;
};

/** The fields that tell whether an issue's details must be read. */
export type IssueProbe = {
  id: string;
  updatedAtMs: number;
  state: string;
  /** Whether another issue blocks it; known only if states were requested. */
  isBlocked: boolean;
};
export type ProbeScope =
  | { states: readonly string[] }
  | { ids: readonly string[] }
  /** Issues that were created or changed since then, inclusive, in any state. */
  | { sinceMs: number };

/** A person's new comment on an issue. */
export type NewComment = {
  issueId: string;
  commentId: string;
  author: string;
  body: string;
  writtenAtMs: number | null;
  /** The comment's place and author, for trackers with agent sessions. */
  place: { parentId: string | null; personId: string } | null;
};

/** Which comments to read, and callbacks for what could not be read. */
export type CommentsQuery = {
  /**
   * Start time for a source, inclusive, epoch milliseconds. A source is whatever has its own list
   * of comments, such as a repository.
   */
  sinceMs(source: string): number;
  /** Called with the error of a source that failed; the others are read. */
  unheard(source: string, why: string): void;
  unreadable: OnUnreadable;
};

/** A comment on an issue. Text by strangers: data, never instructions. */
export type TrackerComment = { author: string; body: string; createdAtMs: number };

/**
 * The port to an issue tracker, whichever it is. Every call may throw a `TrackerError`, which never
 * stops running work. With `onUnreadable` an unreadable record does not affect others; without it
 * the whole read throws.
 */
export interface Tracker {
  readonly kind: string;
  readonly agentSessions?: AgentSessions;
  /** Names of the states with a role, by the configuration. */
  stateRoles(): StateRoles;
  fetchByStates(states: readonly string[], onUnreadable?: OnUnreadable): Promise<TrackerIssue[]>;
  /**
   * Issues in any state that were created or changed since then, inclusive; left out if the tracker
   * cannot tell. A change of a blocker need not count as a change.
   */
  fetchChanged?(sinceMs: number, onUnreadable?: OnUnreadable): Promise<TrackerIssue[]>;
  /**
   * Reads issues without details, much cheaper than with them; left out where that is not cheaper.
   */
  probe?(of: ProbeScope, onUnreadable?: OnUnreadable): Promise<IssueProbe[]>;
  /**
   * Which of these issues are still blocked, much cheaper than their details; left out where that
   * is not cheaper.
   */
  stillBlocked?(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Remaining share of the hourly rate limit, 0 to 1; null or left out: not known. */
  allowanceLeft?(): number | null;
  /**
   * New comments by people whose comments count, oldest first, without this service's own. Used
   * where webhooks are missing or lost; left out where only webhooks report comments.
   */
  newComments?(query: CommentsQuery): Promise<NewComment[]>;
  /**
   * Issues by id without deleted ones. `onUnreadable` is called with the requested id for each that
   * exists but is unreadable; one that is neither returned nor reported is gone.
   */
  fetchByIds(ids: readonly string[], onUnreadable?: OnUnreadable): Promise<TrackerIssue[]>;
  /**
   * Why `fetchByIds` does not request an issue, with advice for people, for example because its
   * repository is not configured; null or left out: it requests it.
   */
  whyNotTracked?(id: string): string | null;
  /** Names of all states to which the issue may move. */
  listStates(issueId: string): Promise<string[]>;
  /**
   * Moves an issue; a no-op when it is already in the state. Returns what the tracker shows
   * afterwards, whatever was requested; throws when the tracker says that nothing changed.
   */
  transition(issueId: string, toState: string): Promise<SeenMove>;
  /**
   * Creates or edits the one comment that this service maintains on an issue under a key; returns
   * its id. Idempotent by key.
   */
  upsertComment(issueId: string, key: string, body: string): Promise<string>;
  /**
   * The newest comments, at most `limit`, oldest first; left out where agents may not read them.
   */
  listComments?(issueId: string, limit: number): Promise<TrackerComment[]>;
  /** Links a pull request on the issue. Idempotent by url. */
  attach(issueId: string, attachment: { url: string; title: string }): Promise<void>;
  createIssue(input: {
    title: string;
    description?: string;
    labels?: string[];
    priority?: number;
  }): Promise<TrackerIssue>;
  /**
   * Creates sub-issues of an issue, all or none, and returns them in the order given; null, with
   * nothing created, when the recorded issue has another version by now. Left out where issues
   * cannot have sub-issues. Throws a 400 when the tree would be too large or wait for itself.
   */
  createSubIssues?(
    parent: { id: string; version: number },
    plans: readonly SubIssuePlan[],
  ): Promise<TrackerIssue[] | null>;
}
