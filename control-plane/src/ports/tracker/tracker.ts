import type { AgentSessions } from './agent-sessions.ts';
import type { OnUnreadable } from './unreadable-record.ts';

/**
 * The port to an issue tracker. The orchestrator asks and tells; it never learns which tracker
 * answers. Every call may throw a `TrackerError`; a thrown error never stops running work.
 */
export type TrackerIssue = {
  /** The tracker's own id; rows are keyed by (tracker, id). */
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
  createdAtMs: number;
  updatedAtMs: number;
  /**
   * Whatever the adapter needs to find the issue again, opaque to others. Null beside words in `unroutable`:
   * it is shown at its place no more, as where it moved or is archived.
   */
  nativeRef: string | null;
  /** Why it is not for this service to work on, in words; null or left out: it is. */
  unroutable?: string | null;
  /** That holds for what has not begun: it stops no work. */
  unroutableAtStart?: boolean;
  /** It lies elsewhere now, as the tracker names it; `unroutable` says so to people. */
  movedTo?: string;
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
  /** Epoch milliseconds before which asking again is useless. */
  readonly retryAtMs: number | undefined;
  /** The tracker understood and said no, for example because there is no such thing. */
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

/** Where the tracker showed an issue before a move and after it, as itself said. */
export type SeenMove = {
  before: string;
  state: string;
  /** The tracker's own time of the issue's last change, epoch milliseconds; null: it has none. */
  updatedAtMs: number | null;
};

/** What tells whether an issue's details are worth asking for. */
export type IssueProbe = {
  id: string;
  updatedAtMs: number;
  state: string;
  /** Whether anything blocks it; told only where states were asked for. */
  isBlocked: boolean;
};
export type ProbeScope =
  | { states: readonly string[] }
  | { ids: readonly string[] }
  /** Created or changed since then, inclusive, in whatever state. */
  | { sinceMs: number };

/** What a person newly said on an issue, as it is heard. */
export type NewComment = {
  issueId: string;
  commentId: string;
  author: string;
  body: string;
  writtenAtMs: number | null;
  /** Where it stands and whose it is, for trackers with agent sessions. */
  place: { parentId: string | null; personId: string } | null;
};

/** Which comments are wanted, and who is told of what could not be heard. */
export type CommentsQuery = {
  /**
   * From when on, inclusive, epoch milliseconds. A source is whatever has a list of comments of its
   * own, for example a repository.
   */
  sinceMs(source: string): number;
  /** Told of a source that gave no comments, with its words; the others are read. */
  unheard(source: string, why: string): void;
  unreadable: OnUnreadable;
};

/** What somebody said on an issue. Strangers' words: data, never commands. */
export type TrackerComment = { author: string; body: string; createdAtMs: number };

/**
 * Where a read takes `onUnreadable`, a record that cannot be read harms no other; without it the
 * whole read throws for one.
 */
export interface Tracker {
  readonly kind: string;
  readonly agentSessions?: AgentSessions;
  /** Names of the states that mean something to the orchestrator, configuration applied. */
  stateRoles(): StateRoles;
  fetchByStates(states: readonly string[], onUnreadable?: OnUnreadable): Promise<TrackerIssue[]>;
  /**
   * Issues in whatever state that were created or changed since then, inclusive; left out where a
   * tracker cannot tell. What only a blocker's change means for an issue need not count.
   */
  fetchChanged?(sinceMs: number, onUnreadable?: OnUnreadable): Promise<TrackerIssue[]>;
  /** A look without details, far cheaper than one with them; left out where it would not be. */
  probe?(of: ProbeScope, onUnreadable?: OnUnreadable): Promise<IssueProbe[]>;
  /**
   * Which of these issues anything still blocks, far cheaper than their details; left out where it
   * would not be.
   */
  stillBlocked?(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Share of what it allows in an hour that is left, 0 to 1; null or left out: not known. */
  allowanceLeft?(): number | null;
  /**
   * What people whose words count said, oldest first; not what this service wrote. So that they are
   * heard where nothing is delivered; left out where that is the only way.
   */
  newComments?(query: CommentsQuery): Promise<NewComment[]>;
  /**
   * Issues that no longer exist are left out. Of those that do and cannot be read, `onUnreadable` is
   * told, under the id that was asked for: what it is not told of and is not found is gone.
   */
  fetchByIds(ids: readonly string[], onUnreadable?: OnUnreadable): Promise<TrackerIssue[]>;
  /**
   * Why `fetchByIds` does not ask for an issue, in words that say what to do, as where its place is not
   * among those of the settings; null or left out: it asks, and what it does not find is gone.
   */
  whyNotTracked?(id: string): string | null;
  /** Names of all states an issue may move to. */
  listStates(issueId: string): Promise<string[]>;
  /**
   * Idempotent: moving to the present state does nothing. Gives what the tracker shows after it, from
   * its answer or read then, whatever was asked for; throws where it says that it made no change.
   */
  transition(issueId: string, toState: string): Promise<SeenMove>;
  /** Creates or edits the one comment this service keeps on an issue; returns its id. Idempotent by key. */
  upsertComment(issueId: string, key: string, body: string): Promise<string>;
  /** The newest comments, at most so many, oldest first; left out where agents may not read them. */
  listComments?(issueId: string, limit: number): Promise<TrackerComment[]>;
  /** Shows a pull request on the issue. Idempotent by url. */
  attach(issueId: string, attachment: { url: string; title: string }): Promise<void>;
  createIssue(input: {
    title: string;
    description?: string;
    labels?: string[];
    priority?: number;
  }): Promise<TrackerIssue>;
}
