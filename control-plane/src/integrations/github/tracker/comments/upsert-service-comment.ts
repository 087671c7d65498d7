import { cutText } from '@switchyard/shared/text/cut-text';
import { z } from 'zod';
import { GitHubError } from '../../api/github-error.ts';
import { issueId } from '../github-issue.ts';
import { requestsTo, type IssueLocation } from '../issue-location.ts';

/** GitHub's limit of a comment is 65,536 characters. */
const MAX_BODY_CHARS = 60_000;

const Made = z.object({ id: z.int() });
const Comment = Made.extend({
  body: z.string().nullish().catch(null),
  /** The author; undefined when it cannot be read. */
  user: z.object({ login: z.string() }).nullable().optional().catch(undefined),
});
const writing = new Map<string, Promise<unknown>>();

/**
 * Creates or edits the comment with this key, which an invisible mark at its end contains; only the
 * service's own comments are considered. Writes are serialised, since GitHub would create two.
 */
export async function upsertServiceComment(
  place: IssueLocation,
  key: string,
  body: string,
): Promise<string> {
  const name = `${issueId(place.tracked, place.number)} ${key}`;
  const before = writing.get(name) ?? Promise.resolve();
  const own = before.then(
    () => write(place, key, body),
    () => write(place, key, body),
  );
  writing.set(name, own);
  try {
    return await own;
  } finally {
    if (writing.get(name) === own) writing.delete(name);
  }
}

async function write(place: IssueLocation, key: string, body: string): Promise<string> {
  const ask = requestsTo(place);
  const mark = `\n\n<!-- switchyard:${encodeURIComponent(key)} -->`;
  const text = `${cutText(body, MAX_BODY_CHARS)}${mark}`;
  const own = (await place.connection.access.ownLogin()).toLowerCase();
  const comments = await ask.all(Comment, `/issues/${place.number}/comments?per_page=100`);
  const found = comments.find(
    (one) => one.user?.login.toLowerCase() === own && plain(one.body).endsWith(mark),
  );
  // The comment may be this service's own: writing another beside it would repeat at every change.
  const isUnclear = comments.some(
    (one) => one.user === undefined && plain(one.body).endsWith(mark),
  );
  if (found === undefined && isUnclear)
    throw new GitHubError(
      'response',
      `a comment on issue #${place.number}: its author cannot be read`,
    );
  if (found === undefined) {
    const path = `/issues/${place.number}/comments`;
    const made = await ask.one(Made, { method: 'POST', path, body: { body: text } });
    return String(made.id);
  }
  if (plain(found.body) !== text) {
    const path = `/issues/comments/${found.id}`;
    await ask.one(Made, { method: 'PATCH', path, body: { body: text } });
  }
  return String(found.id);
}

function plain(body: string | null | undefined): string {
  return (body ?? '').replaceAll('\r\n', '\n');
}
