import { z } from 'zod';
import { issueId } from '../github-issue.ts';
import { askOf, type IssuePlace } from '../issue-place.ts';

/** GitHub's limit of a comment is 65,536 characters. */
const MAX_BODY_CHARS = 60_000;

const Comment = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
});
const writing = new Map<string, Promise<unknown>>();

/**
 * Creates or edits the one comment of a key, which an invisible mark at its end names; only our own
 * count. One writer at a time: GitHub itself would make two.
 */
export async function upsertServiceComment(
  place: IssuePlace,
  key: string,
  body: string,
): Promise<string> {
  const name = `${issueId(place.tracked, place.number)} ${key}`;
  const before = writing.get(name) ?? Promise.resolve();
  const mine = before.then(
    () => write(place, key, body),
    () => write(place, key, body),
  );
  writing.set(name, mine);
  try {
    return await mine;
  } finally {
    if (writing.get(name) === mine) writing.delete(name);
  }
}

async function write(place: IssuePlace, key: string, body: string): Promise<string> {
  const ask = askOf(place);
  const mark = `\n\n<!-- switchyard:${encodeURIComponent(key)} -->`;
  const text = `${body.slice(0, MAX_BODY_CHARS)}${mark}`;
  const own = (await place.connection.access.ownLogin()).toLowerCase();
  const comments = await ask.all(Comment, `/issues/${place.number}/comments?per_page=100`);
  const found = comments.find(
    (one) => one.user?.login.toLowerCase() === own && plain(one.body).endsWith(mark),
  );
  if (found === undefined) {
    const path = `/issues/${place.number}/comments`;
    const made = await ask.one(Comment, { method: 'POST', path, body: { body: text } });
    return String(made.id);
  }
  if (plain(found.body) !== text) {
    const path = `/issues/comments/${found.id}`;
    await ask.one(Comment, { method: 'PATCH', path, body: { body: text } });
  }
  return String(found.id);
}

function plain(body: string | null | undefined): string {
  return (body ?? '').replaceAll('\r\n', '\n');
}
