import { cutText } from '@switchyard/shared/text/cut-text';
import { z } from 'zod';
import type { FeedbackItem } from '../../../../ports/code-host/code-host.ts';
import type { PullRequestQuery } from '../../api/github-connections.ts';
import { unreadableRows } from './unreadable-rows.ts';
import { repositoryPath } from '../../api/repository-name.ts';
import { nullIfForbidden } from '../../api/null-if-forbidden.ts';

const MAX_TEXT_CHARS = 8_000;

const Author = z.object({ login: z.string(), type: z.string().optional() }).nullable();
const CommentFields = {
  id: z.int(),
  user: Author,
  body: z.string().nullable(),
  html_url: z.string().nullable().optional(),
  author_association: z.string().optional(),
};
const Review = z.object({
  ...CommentFields,
  state: z.string(),
  submitted_at: z.string().nullish(),
});
const ReviewComment = z.object({
  ...CommentFields,
  path: z.string().nullish(),
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  created_at: z.string(),
});
const IssueComment = z.object({ ...CommentFields, created_at: z.string() });

type Author = z.infer<typeof Author>;
type AuthoredRow = { id: number; user: Author; author_association?: string | undefined };

/** Called for comments that do not count, on each sync. */
export type OnIgnored = (word: { key: string; where: string; author: string; why: string }) => void;

/**
 * Reviews that ask for something, line comments and general comments, by authors whose comments
 * count.
 */
export async function readFeedback(
  query: PullRequestQuery,
  onIgnored: OnIgnored,
): Promise<{ items: FeedbackItem[]; unseen: string[] }> {
  const { client, access, repository, number, signal } = query;
  const auth = access.authorize(repository);
  const root = repositoryPath(repository);
  let unreadable = 0;
  const onUnreadable = () => void (unreadable += 1);
  const get = <T>(row: z.ZodType<T>, path: string) => {
    const request = { path: `${root}${path}?per_page=100`, signal, onUnreadable };
    return nullIfForbidden(() => client.list(row, auth, request));
  };
  const [own, reviews, lines, below] = await Promise.all([
    access.ownLogin(),
    get(Review, `/pulls/${number}/reviews`),
    get(ReviewComment, `/pulls/${number}/comments`),
    get(IssueComment, `/issues/${number}/comments`),
  ]);
  const accepted = <Row extends AuthoredRow>(rows: readonly Row[] | null, kind: string) =>
    thoseThatCount(query, { rows: rows ?? [], kind, own: own.toLowerCase(), onIgnored });
  const asking = reviews?.filter(asksForSomething) ?? null;
  const written = below?.filter(({ body }) => !isBlank(body)) ?? null;
  const items = [
    ...(await accepted(asking, 'review')).map((review) =>
      item('review', review, review.submitted_at),
    ),
    ...(await accepted(lines, 'comment')).map((comment) => ({
      ...item('comment', comment, comment.created_at),
      path: comment.path ?? null,
      line: comment.line ?? comment.original_line ?? null,
    })),
    ...(await accepted(written, 'issue-comment')).map((comment) => ({
      ...item('comment', comment, comment.created_at),
      key: `issue-comment:${comment.id}`,
    })),
  ];
  const all = { reviews, 'comments on lines': lines, comments: below };
  const unseen = Object.entries(all).flatMap(([name, rows]) => (rows === null ? [name] : []));
  return { items, unseen: [...unseen, ...unreadableRows(unreadable, 'comment')] };
}

async function thoseThatCount<Row extends AuthoredRow>(
  { people, repository, number }: PullRequestQuery,
  given: { rows: readonly Row[]; kind: string; own: string; onIgnored: OnIgnored },
): Promise<Row[]> {
  const counting: Row[] = [];
  for (const row of given.rows) {
    const author = row.user?.login ?? null;
    if (author === null || author.toLowerCase() === given.own) continue;
    const speaker = { login: author, type: row.user?.type, association: row.author_association };
    const why = await people.whyNot(repository, speaker);
    if (why === null) counting.push(row);
    else {
      const where = `${repository.owner}/${repository.name}#${number}`;
      given.onIgnored({ key: `${where} ${given.kind}:${row.id}`, where, author, why });
    }
  }
  return counting;
}

/**
 * Whether a review requests something: not an approval, nor an empty review around line comments.
 */
function asksForSomething({ state, body }: z.infer<typeof Review>): boolean {
  const kind = state.toUpperCase();
  if (kind === 'CHANGES_REQUESTED') return true;
  return kind === 'COMMENTED' && !isBlank(body);
}

function item(
  kind: 'review' | 'comment',
  row: {
    id: number;
    user: z.infer<typeof Author>;
    body: string | null;
    html_url?: string | null | undefined;
  },
  at: string | null | undefined,
): FeedbackItem {
  return {
    key: `${kind}:${row.id}`,
    kind,
    from: row.user?.login ?? 'ghost',
    url: row.html_url ?? null,
    path: null,
    line: null,
    text: cutText(row.body ?? '', MAX_TEXT_CHARS),
    atMs: Date.parse(at ?? '') || 0,
  };
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}
