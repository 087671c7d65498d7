import { cutText } from '@switchyard/shared/text/cut-text';
import { derivedUuid } from '../../../derived-uuid.ts';
import { TrackerError } from '../../../ports/tracker/tracker.ts';
import { COMMENT_OF_ISSUE, CREATE_COMMENT, EDIT_COMMENT } from '../api/documents.ts';
import type { LinearClient } from '../api/linear-client.ts';

/**
 * An id can never be reused: after a person deleted a comment, the next id of the series is used.
 */
const GENERATIONS = 4;
/** Linear's limit is higher, but longer texts help nobody. */
const MAX_BODY_CHARS = 60_000;

/**
 * Creates or edits the comment that the service maintains under `key`. The id derives from issue
 * and key, so that concurrent writers reach the same comment and own comments are recognised.
 */
export async function upsertLinearComment(
  ask: LinearClient,
  input: { issueId: string; key: string; body: string },
): Promise<string> {
  const body = cutText(input.body, MAX_BODY_CHARS);
  let refused: unknown;
  for (let generation = 0; generation < GENERATIONS; generation += 1) {
    const id = await serviceCommentId(input.issueId, input.key, generation);
    if (await editIfThere(ask, input.issueId, id, body)) return id;
    try {
      await ask(CREATE_COMMENT, { input: { id, issueId: input.issueId, body } });
      return id;
    } catch (error) {
      if (!(error instanceof TrackerError) || error.category !== 'status') throw error;
      refused = error;
    }
    // Another writer may have created it first.
    if (await editIfThere(ask, input.issueId, id, body)) return id;
  }
  throw refused;
}

/** Whether a comment is the one that this service maintains under `key`. */
export async function isServiceComment(
  issueId: string,
  key: string,
  commentId: string,
): Promise<boolean> {
  for (let generation = 0; generation < GENERATIONS; generation += 1) {
    if ((await serviceCommentId(issueId, key, generation)) === commentId) return true;
  }
  return false;
}

async function editIfThere(
  ask: LinearClient,
  issueId: string,
  commentId: string,
  body: string,
): Promise<boolean> {
  const { issue } = await ask(COMMENT_OF_ISSUE, { id: issueId, commentId });
  const [comment] = issue.comments.nodes;
  if (comment === undefined) return false;
  if (comment.body !== body) await ask(EDIT_COMMENT, { id: commentId, body });
  return true;
}

async function serviceCommentId(issueId: string, key: string, generation: number): Promise<string> {
  return derivedUuid(issueId, key, generation);
}
