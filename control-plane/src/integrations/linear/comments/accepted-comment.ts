import type { NewComment } from '../../../ports/tracker/tracker.ts';
import { isApp } from '../api/is-app.ts';
import { isNamedPerson } from '../api/is-named-person.ts';
import type { LinearScope } from '../linear-settings.ts';
import { isServiceComment } from './upsert-linear-comment.ts';

/** Keys of the comments that the service and its agents maintain on an issue. */
const SERVICE_COMMENT_KEYS = ['status', 'agent'];

type Person = { id: string; name?: string | null | undefined; email?: string | null | undefined };

/** A comment of Linear, from a webhook or a query. */
export type LinearComment = {
  id: string;
  body: string;
  issueId: string;
  parentId: string | null;
  /** The author; null for an app. */
  user: Person | null;
  createdAtMs: number | null;
};

/**
 * A comment by a person whose comments count, and not one of this service's own; null for any
 * other.
 */
export async function acceptedComment(
  comment: LinearComment,
  scope: LinearScope,
): Promise<NewComment | null> {
  const { id, issueId, user } = comment;
  if (user === null || !mayInstruct(user, scope)) return null;
  for (const key of SERVICE_COMMENT_KEYS) if (await isServiceComment(issueId, key, id)) return null;
  return {
    issueId,
    commentId: id,
    author: user.name || user.id,
    body: comment.body,
    writtenAtMs: comment.createdAtMs,
    place: { parentId: comment.parentId, personId: user.id },
  };
}

/** Whether a person's comments count; those of apps only if they are named. */
export function mayInstruct(
  person: Person,
  { allowedAuthors = [], allowedBots = [] }: LinearScope,
): boolean {
  if (isApp(person) && isNamedPerson(person, allowedBots)) return true;
  return allowedAuthors.length > 0 ? isNamedPerson(person, allowedAuthors) : !isApp(person);
}
