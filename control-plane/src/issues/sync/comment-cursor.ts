import { z } from 'zod';
import type { Database } from '../../db/database.ts';
import { readFact } from '../../db/read-fact.ts';

/** Name of the fact in which it stands how far the tracker's comments were heard. */
export const COMMENTS_FACT = 'tracker_comments';

const Unheard = z.object({
  /** What gave no comments, for example a repository. */
  source: z.string(),
  why: z.string(),
  sinceMs: z.number(),
  /** Up to when its comments were heard. */
  untilMs: z.number(),
  /** Ids of those within the overlap before that. */
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
  /** Null: not even its id can be read. */
  id: z.string().nullable(),
  /** Identifier of its issue; null: not known. */
  issue: z.string().nullable(),
  problem: z.string(),
  seenAtMs: z.number(),
});

/** How far the comments of the tracker were heard, and what of them was not. */
export const CommentCursor = z.object({
  /** Kind of the tracker. */
  tracker: z.string(),
  untilMs: z.number(),
  /** Ids of those within the overlap: they come again and are heard once. */
  ids: z.array(z.string()),
  /** On issues that cannot be read and are not known yet. */
  waiting: z.array(Waiting).catch([]),
  unheard: z.array(Unheard).catch([]),
  unreadable: z.array(Unreadable).catch([]),
});
export type CommentCursor = z.infer<typeof CommentCursor>;

/** Null: none were ever asked for in this tracker. */
export async function readCommentCursor(
  db: Database,
  tracker: string,
): Promise<CommentCursor | null> {
  const heard = CommentCursor.safeParse(await readFact(db, COMMENTS_FACT));
  return heard.success && heard.data.tracker === tracker ? heard.data : null;
}
