import { z } from 'zod';
import type { Database } from '../../db/database.ts';
import { readFact } from '../../db/read-fact.ts';

/** Name of the fact that stores up to when a tracker's comments were polled. */
export const COMMENTS_FACT = 'tracker_comments';

const Unheard = z.object({
  /** A source of comments that failed, for example one repository. */
  source: z.string(),
  why: z.string(),
  sinceMs: z.number(),
  /** Time up to which its comments were polled, epoch milliseconds. */
  untilMs: z.number(),
  /** Ids of the comments in the overlap before `untilMs`, to skip duplicates. */
  ids: z.array(z.string()),
});
const Waiting = z.object({
  issueId: z.string(),
  commentId: z.string(),
  author: z.string(),
  body: z.string(),
  writtenAtMs: z.number().nullable(),
  place: z.object({ parentId: z.string().nullable(), personId: z.string() }).nullable(),
});
const Unreadable = z.object({
  /** Id of the comment; null when it cannot be read. */
  id: z.string().nullable(),
  /** Identifier of the comment's issue; null when it is not known. */
  issue: z.string().nullable(),
  problem: z.string(),
  seenAtMs: z.number(),
});

/** Up to when a tracker's comments were polled, and which could not be read or handled. */
export const CommentCursor = z.object({
  /** Kind of the tracker. */
  tracker: z.string(),
  untilMs: z.number(),
  /** Ids of comments within the overlap: the next poll returns them again and skips them. */
  ids: z.array(z.string()),
  /** Comments on issues that could not be read and are not recorded yet. */
  waiting: z.array(Waiting).catch([]),
  unheard: z.array(Unheard).catch([]),
  unreadable: z.array(Unreadable).catch([]),
});
export type CommentCursor = z.infer<typeof CommentCursor>;

/** The stored polling position; null when this tracker's comments were never polled. */
export async function readCommentCursor(
  db: Database,
  tracker: string,
): Promise<CommentCursor | null> {
  const parsed = CommentCursor.safeParse(await readFact(db, COMMENTS_FACT));
  return parsed.success && parsed.data.tracker === tracker ? parsed.data : null;
}
