import { z } from 'zod';
import type { Logger } from '../../../../ports/ports.ts';
import type { CommentsQuery, NewComment } from '../../../../ports/tracker/tracker.ts';
import { GitHubError } from '../../api/github-error.ts';
import { issueId } from '../github-issue.ts';
import type { IssueLocation } from '../issue-location.ts';
import { trackedRepositoriesOf, type GitHubTrackerDeps } from '../locate-issue.ts';
import { walkChanged } from '../walk-changed.ts';
import { whyIgnored } from './why-ignored.ts';

/**
 * The query's time is rounded to this, so that repeated requests have the same address and GitHub
 * can answer "not modified" without counting them.
 */
const SAME_QUESTION_MS = 600_000;
const MAX_REPORTED = 500;
const PULL_PAGE = /\/pull\/\d+(?:[?#]|$)/;
/** Concurrent requests to repositories. */
const AT_ONCE = 5;

const Comment = z.object({
  id: z.int(),
  node_id: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string(), type: z.string().optional() }).nullable(),
  author_association: z.string().optional(),
  html_url: z.url(),
  issue_url: z.url(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
type Comment = z.infer<typeof Comment>;
/** Fields that identify an unreadable comment. */
const Probe = z
  .object({
    id: z.int().nullable().catch(null),
    html_url: z.string().catch(''),
    issue_url: z.string().catch(''),
    created_at: z.iso.datetime().nullable().catch(null),
  })
  .catch({ id: null, html_url: '', issue_url: '', created_at: null });
type Place = Omit<IssueLocation, 'number'>;

/** Creates the reader of new comments on issues of the routes' repositories, oldest first. */
export function newCommentsReader(deps: GitHubTrackerDeps, logger: Logger) {
  /** Ids of ignored comments that were logged, because each is read several times. */
  const reported = new Set<number>();
  const tell = ({ id, user }: Comment, where: string, why: string) => {
    if (reported.has(id)) return;
    reported.add(id);
    const [oldest] = reported;
    if (reported.size > MAX_REPORTED && oldest !== undefined) reported.delete(oldest);
    logger.info('a word on an issue was not taken', { where, author: user?.login ?? 'ghost', why });
  };
  const readPlace = async (place: Place, query: CommentsQuery): Promise<NewComment[]> => {
    const found: NewComment[] = [];
    for (const comment of await writtenSince(place, query)) {
      const number = numberOf(comment);
      if (number === null || comment.user === null) continue;
      const where = issueId(place.tracked, number);
      const refused = await refusedBy(deps, place, comment);
      if (refused?.ours === false) tell(comment, where, refused.why);
      if (refused === null) found.push(asNewComment(comment, where));
    }
    return found;
  };
  return async (query: CommentsQuery): Promise<NewComment[]> => {
    const found: NewComment[] = [];
    const places = trackedRepositoriesOf(deps);
    let hasAnswered = false;
    for (let from = 0; from < places.length; from += AT_ONCE) {
      const silent: GitHubError[] = [];
      const reading = places.slice(from, from + AT_ONCE).map(async (place) => {
        try {
          found.push(...(await readPlace(place, query)));
          hasAnswered = true;
        } catch (error) {
          if (!(error instanceof GitHubError) || error.category === 'rate_limited') throw error;
          query.unheard(sourceOf(place), error.message);
          if (error.category === 'transport') silent.push(error);
          else hasAnswered = true;
        }
      });
      await Promise.all(reading);
      // If no repository answered, GitHub is unreachable, which is a general error.
      if (!hasAnswered && silent[0] !== undefined) throw silent[0];
    }
    return found.toSorted((a, b) => (a.writtenAtMs ?? 0) - (b.writtenAtMs ?? 0));
  };
}

function sourceOf({ tracked: { repository } }: Place): string {
  return `${repository.owner}/${repository.name}`;
}

/**
 * Comments written since a time. GitHub also returns older ones that were edited since, which are
 * dropped.
 */
async function writtenSince(
  place: Place,
  { sinceMs: since, unreadable }: CommentsQuery,
): Promise<Comment[]> {
  const sinceMs = since(sourceOf(place));
  const askedMs = Math.floor(sinceMs / SAME_QUESTION_MS) * SAME_QUESTION_MS;
  const onUnreadable = (row: unknown, problem: string) => {
    const { id, created_at: at, ...probe } = Probe.parse(row);
    const number = numberOf(probe);
    const isOnPull = number === null && PULL_PAGE.test(probe.html_url);
    const name = number === null ? null : issueId(place.tracked, number);
    const isNew = at === null || isSince(at, sinceMs);
    if (isNew && !isOnPull) unreadable({ id: id === null ? null : commentId(id), name, problem });
  };
  const of = { path: '/issues/comments?', sinceMs: askedMs, onUnreadable };
  const rows = await walkChanged(Comment, place, of);
  return rows.filter(({ created_at: at }) => isSince(at, sinceMs));
}

/** Compares in seconds, because GitHub's times have no fractions. */
function isSince(at: string, sinceMs: number): boolean {
  return Date.parse(at) + 999 >= sinceMs;
}

/**
 * Number of the comment's issue; null for a pull request, whose comments are handled as feedback.
 */
function numberOf({
  html_url: page,
  issue_url: url,
}: Pick<Comment, 'html_url' | 'issue_url'>): number | null {
  if (PULL_PAGE.test(page)) return null;
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
    isNamedBot: (speaker: Parameters<typeof connection.people.isNamedBot>[0]) =>
      connection.people.isNamedBot(speaker),
  };
  return whyIgnored(listening, { login: user?.login ?? 'ghost', type: user?.type, association });
}

function asNewComment({ id, body, user, created_at: at }: Comment, where: string): NewComment {
  return {
    issueId: where,
    commentId: commentId(id),
    author: user?.login ?? 'ghost',
    body: body ?? '',
    writtenAtMs: Date.parse(at),
    place: null,
  };
}

/** The id as in a webhook, so that a comment is handled once. */
function commentId(id: number): string {
  return `github:${id}`;
}
