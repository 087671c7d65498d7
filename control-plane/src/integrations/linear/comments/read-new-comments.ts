import { z } from 'zod';
import type { CommentsQuery, NewComment } from '../../../ports/tracker/tracker.ts';
import { operation } from '../api/documents.ts';
import { eachPage } from '../api/each-page.ts';
import { acceptedComment } from './accepted-comment.ts';
import { inScope } from '../in-scope.ts';
import type { LinearClient } from '../api/linear-client.ts';
import { readableRows } from '../api/readable-rows.ts';
import { RawPage } from '../api/rows.ts';
import { LINEAR_TRACKER, type LinearScope } from '../linear-settings.ts';

/** Usually there are none, and a page costs as much as it could contain. */
const PAGE_SIZE = 10;
const FURTHER_PAGE_SIZE = 50;

const Comment = z.looseObject({
  id: z.string(),
  body: z.string(),
  issueId: z.string().nullish(),
  parentId: z.string().nullish().catch(null),
  user: z
    .looseObject({ id: z.string(), name: z.string().nullish(), email: z.string().nullish() })
    .nullish()
    .catch(null),
  botActor: z.looseObject({}).nullish(),
  createdAt: z.iso.datetime({ offset: true }),
});

/** About 2.9 points each. */
const NEW_COMMENTS = operation(
  `query NewComments($filter: CommentFilter, $first: Int!, $after: String) {
    comments(filter: $filter, first: $first, after: $after) {
      nodes { id body issueId parentId createdAt user { id name email } botActor { type } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  { comments: RawPage },
);

/** New comments of people on polled issues, oldest first. All of Linear counts as one source. */
export async function readNewComments(
  ask: LinearClient,
  { sinceMs, unreadable }: CommentsQuery,
  scope: LinearScope,
): Promise<NewComment[]> {
  const createdAt = { gte: new Date(sinceMs(LINEAR_TRACKER)).toISOString() };
  const issue = inScope(scope);
  const filter = { createdAt, ...(Object.keys(issue).length === 0 ? {} : { issue }) };
  const comments: NewComment[] = [];
  const pages = eachPage(async (after) => {
    const first = after === null ? PAGE_SIZE : FURTHER_PAGE_SIZE;
    return (await ask(NEW_COMMENTS, { filter, first, after })).comments;
  });
  for await (const { nodes } of pages) {
    for (const row of readableRows(Comment, nodes, unreadable)) {
      const { id, body, issueId, parentId, user, botActor, createdAt: at } = row;
      if (!issueId) continue;
      const comment = {
        id,
        body,
        issueId,
        parentId: parentId ?? null,
        createdAtMs: Date.parse(at),
      };
      const accepted = await acceptedComment(
        { ...comment, user: botActor ? null : (user ?? null) },
        scope,
      );
      if (accepted !== null) comments.push(accepted);
    }
  }
  return comments.toSorted((a, b) => (a.writtenAtMs ?? 0) - (b.writtenAtMs ?? 0));
}
