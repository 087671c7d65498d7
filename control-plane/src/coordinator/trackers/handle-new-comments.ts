import { setFact } from '../../db/set-fact.ts';
import { belongsToSession } from '../../people/agent-sessions/queries.ts';
import type { Statement } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import { handleComment } from '../../issues/actions/handle-comment.ts';
import { issuesByIds } from '../../issues/queries.ts';
import {
  COMMENTS_FACT,
  type CommentCursor,
  readCommentCursor,
} from '../../issues/sync/comment-cursor.ts';
import {
  type NewComment,
  type Tracker,
  TrackerError,
  type TrackerErrorCategory,
} from '../../ports/tracker/tracker.ts';
import {
  collectUnreadable,
  shownProblem,
  type UnreadableRecord,
} from '../../ports/tracker/unreadable-record.ts';

/**
 * Overlap of two successive queries: a tracker may list a comment late, and its clock may lag
 * behind.
 */
const OVERLAP_MS = 60_000;
/** Comments older than this are ignored when polling resumes after a pause. */
const MAX_AGE_MS = 7 * 86_400_000;
/**
 * Comment ids remembered to skip duplicates: more than one overlap contains; the newest are kept.
 */
const MAX_HANDLED_IDS = 500;
/** Comments kept until their issue can be read; beyond this the oldest are dropped. */
const MAX_WAITING = 50;
/** How long an unreadable comment is shown to people: no later poll returns it again. */
const SHOWN_FOR_MS = 86_400_000;
const MAX_SHOWN = 50;
/** Errors that are transient or affect every tracker request, not only the one for comments. */
const GENERAL_TROUBLE: ReadonlySet<TrackerErrorCategory> = new Set(['transport', 'rate_limited']);

type Found = {
  comments: NewComment[];
  unheard: Map<string, string>;
  unreadable: UnreadableRecord[];
};

/**
 * Polls a tracker for new comments and handles each one that no webhook delivered. Returns the
 * statement that stores the polling position. The first poll only records the position: older
 * comments are ignored. A source that fails is logged once and resumes from its own last position.
 */
export async function handleNewComments(
  deps: Pick<Deps, 'db' | 'clock' | 'connections' | 'logger' | 'trackers' | 'wake'>,
  tracker: Tracker,
  /** Ids of issues that cannot be read: comments on an unrecorded one wait until it is recorded. */
  unread: readonly string[],
): Promise<Statement[]> {
  if (tracker.newComments === undefined) return [];
  const nowMs = deps.clock.nowMs();
  const before = await readCommentCursor(deps.db, tracker.kind);
  const { comments, unheard: unreadSources, unreadable } = await ask(tracker, before, nowMs);
  const left = before?.unheard.flatMap(({ ids }) => ids) ?? [];
  const handledBefore = new Set([...(before?.ids ?? []), ...left]);
  const fresh =
    before === null ? [] : comments.filter(({ commentId }) => !handledBefore.has(commentId));
  const waiting: NewComment[] = [];
  for (const newComment of [...(before?.waiting ?? []), ...fresh]) {
    const { place, ...comment } = newComment;
    if (
      unread.includes(newComment.issueId) &&
      !(await isKnown(deps.db, tracker.kind, newComment.issueId))
    ) {
      waiting.push(newComment);
      continue;
    }
    if (place !== null && (await belongsToSession(deps.db, tracker.kind, place))) continue;
    await handleComment(deps, { tracker: tracker.kind, ...comment });
  }
  const value: CommentCursor = {
    tracker: tracker.kind,
    untilMs: nowMs,
    ids: comments.map(({ commentId }) => commentId).slice(-MAX_HANDLED_IDS),
    waiting: waiting
      .filter(({ writtenAtMs }) => nowMs - (writtenAtMs ?? nowMs) < MAX_AGE_MS)
      .slice(-MAX_WAITING),
    unheard: unreadNow(deps, before, { unreadSources, nowMs }),
    unreadable: await unreadableNow(deps, tracker.kind, { before, unreadable, nowMs }),
  };
  return [setFact(deps.db, nowMs, COMMENTS_FACT, value)];
}

async function isKnown(db: Deps['db'], tracker: string, issueId: string): Promise<boolean> {
  return (await issuesByIds(db, tracker, [issueId])).length > 0;
}

/** Requests new comments; throws only errors that affect every request to the tracker. */
async function ask(tracker: Tracker, before: CommentCursor | null, nowMs: number): Promise<Found> {
  const collector = collectUnreadable();
  const found: Found = { comments: [], unheard: new Map(), unreadable: collector.unreadable };
  const sinceMs = (source: string) => {
    const left = before?.unheard.find((each) => each.source === source);
    const untilMs = Math.min(left?.untilMs ?? before?.untilMs ?? nowMs, nowMs);
    return Math.max(untilMs - OVERLAP_MS, nowMs - MAX_AGE_MS);
  };
  try {
    const comments = await tracker.newComments?.({
      sinceMs,
      unheard: (source, why) => void found.unheard.set(source, shownProblem(why)),
      unreadable: collector.onUnreadable,
    });
    found.comments = comments ?? [];
  } catch (error) {
    if (!(error instanceof TrackerError) || GENERAL_TROUBLE.has(error.category)) throw error;
    found.unheard.set(tracker.kind, shownProblem(error.message));
  }
  return found;
}

function unreadNow(
  { logger }: Pick<Deps, 'logger'>,
  before: CommentCursor | null,
  { unreadSources, nowMs }: { unreadSources: ReadonlyMap<string, string>; nowMs: number },
): CommentCursor['unheard'] {
  const known = new Map(before?.unheard.map((each) => [each.source, each]));
  return [...unreadSources].map(([source, why]) => {
    const since = known.get(source);
    if (since === undefined) logger.warn('comments are not heard', { source, why });
    const { untilMs, ids } = since ?? before ?? { untilMs: nowMs, ids: [] };
    return { source, why, sinceMs: since?.sinceMs ?? nowMs, untilMs, ids };
  });
}

async function unreadableNow(
  { db, logger }: Pick<Deps, 'db' | 'logger'>,
  tracker: string,
  given: { before: CommentCursor | null; unreadable: UnreadableRecord[]; nowMs: number },
): Promise<CommentCursor['unreadable']> {
  const { unreadable, nowMs } = given;
  const before = given.before?.unreadable ?? [];
  const shown = before.filter(({ seenAtMs }) => nowMs - seenAtMs < SHOWN_FOR_MS);
  const ids = unreadable.flatMap(({ name }) => name ?? []);
  const rows = ids.length === 0 ? [] : await issuesByIds(db, tracker, ids);
  const records = unreadable.map(({ id, name, problem }) => {
    const issue = rows.find((row) => row.id === name)?.identifier ?? null;
    return { id, issue, problem, seenAtMs: nowMs };
  });
  const keyOf = ({ id, issue, problem }: (typeof records)[number]) => id ?? `${issue} ${problem}`;
  const known = new Set(before.map(keyOf));
  // Records already shown keep their place, so that no record is logged twice.
  const fresh = new Map(
    records.flatMap((record) => (known.has(keyOf(record)) ? [] : [[keyOf(record), record]])),
  );
  const added = [...fresh.values()].slice(0, MAX_SHOWN - shown.length);
  for (const { id, issue, problem } of added)
    logger.warn('a comment in the tracker cannot be read', { id, issue, problem });
  return [...shown, ...added];
}
