import { z } from 'zod';
import type { Logger } from '../../../../ports.ts';
import type { NewComment } from '../../../../issues/tracker/tracker.ts';
import { issueId } from '../github-issue.ts';
import type { IssuePlace } from '../issue-place.ts';
import { everywhere, type GitHubTrackerDeps } from '../place-of.ts';
import { walkChanged } from '../walk-changed.ts';
import { whyNotHeard } from './why-not-heard.ts';

/**
 * The address of the question changes only so often: within it, GitHub answers "nothing new"
 * without counting the request.
 */
const SAME_QUESTION_MS = 600_000;
const MAX_TOLD = 500;

const Comment = z.object({
  id: z.int(),
  node_id: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
  author_association: z.string().optional(),
  html_url: z.string(),
  issue_url: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
type Comment = z.infer<typeof Comment>;
type Place = Omit<IssuePlace, 'number'>;

/** Reads what people newly wrote on issues of the routes' repositories, oldest first. */
export function newCommentsReader(deps: GitHubTrackerDeps, logger: Logger) {
  /** Whose words were not taken is said once, although they are seen again for a while. */
  const told = new Set<number>();
  const tell = ({ id, user }: Comment, where: string, why: string) => {
    if (told.has(id)) return;
    told.add(id);
    const [oldest] = told;
    if (told.size > MAX_TOLD && oldest !== undefined) told.delete(oldest);
    logger.info('a word on an issue was not taken', { where, author: user?.login ?? 'ghost', why });
  };
  return async (sinceMs: number): Promise<NewComment[]> => {
    const found: NewComment[] = [];
    for (const place of everywhere(deps)) {
      for (const comment of await writtenSince(place, sinceMs)) {
        const number = numberOf(comment);
        if (number === null || comment.user === null) continue;
        const where = issueId(place.tracked, number);
        const refused = await refusedBy(deps, place, comment);
        if (refused?.ours === false) tell(comment, where, refused.why);
        if (refused === null) found.push(heard(comment, where));
      }
    }
    return found.toSorted((a, b) => (a.writtenAtMs ?? 0) - (b.writtenAtMs ?? 0));
  };
}

/** GitHub lists what was changed since; an old comment that was edited is nothing new. */
async function writtenSince(place: Place, sinceMs: number): Promise<Comment[]> {
  const askedMs = Math.floor(sinceMs / SAME_QUESTION_MS) * SAME_QUESTION_MS;
  const of = { path: '/issues/comments?', sinceMs: askedMs };
  const rows = await walkChanged(Comment, place, of);
  // GitHub's times have no fractions.
  return rows.filter(({ created_at: at }) => Date.parse(at) + 999 >= sinceMs);
}

/** Null: it stands on a pull request, where others listen. */
function numberOf({ html_url: page, issue_url: url }: Comment): number | null {
  if (/\/pull\/\d+$/.test(new URL(page).pathname)) return null;
  const number = /\/issues\/(\d+)$/.exec(url)?.[1];
  return number === undefined ? null : Number(number);
}

function refusedBy(
  deps: GitHubTrackerDeps,
  { connection, tracked }: Place,
  { user, author_association: association }: Comment,
) {
  const listening = {
    ownLogin: () => connection.access.ownLogin(),
    whyNot: (speaker: Parameters<typeof connection.people.whyNot>[1]) =>
      connection.people.whyNot(tracked.repository, speaker),
    allowedAuthors: deps.latest().tracker.allowedAuthors,
  };
  return whyNotHeard(listening, { login: user?.login ?? 'ghost', association });
}

function heard({ id, body, user, created_at: at }: Comment, where: string): NewComment {
  return {
    issueId: where,
    // As a delivery names it: whichever comes first is heard.
    commentId: `github:${id}`,
    author: user?.login ?? 'ghost',
    body: body ?? '',
    writtenAtMs: Date.parse(at),
    place: null,
  };
}
