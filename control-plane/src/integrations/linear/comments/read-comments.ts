import { z } from 'zod';
import type { TrackerComment } from '../../../ports/tracker/tracker.ts';
import type { LinearClient } from '../api/linear-client.ts';
import { operation } from '../api/documents.ts';
import { readableNodesOf } from '../api/rows.ts';

const Comment = z.looseObject({
  body: z.string(),
  createdAt: z.iso.datetime({ offset: true }),
  user: z.looseObject({ name: z.string() }).nullish(),
});

/** Linear returns the newest first. */
const NEWEST_COMMENTS = operation(
  `query NewestComments($id: String!, $first: Int!) {
    issue(id: $id) { comments(first: $first) { nodes { body createdAt user { name } } } }
  }`,
  { issue: z.looseObject({ comments: readableNodesOf(Comment) }) },
);

/** The newest comments of an issue, oldest first. Throws a TrackerError. */
export async function readLinearComments(
  ask: LinearClient,
  issueId: string,
  limit: number,
): Promise<TrackerComment[]> {
  const { issue } = await ask(NEWEST_COMMENTS, { id: issueId, first: limit });
  return issue.comments.nodes
    .map(({ body, createdAt, user }) => ({
      author: user?.name ?? 'an app',
      body,
      createdAtMs: Date.parse(createdAt),
    }))
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs);
}
