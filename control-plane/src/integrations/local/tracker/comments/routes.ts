import { z } from '@hono/zod-openapi';
import { CreateLocalComment, LocalComment } from '@switchyard/shared/api/work/local-issue';
import { messageOf } from '@switchyard/shared/message-of';
import { endpoint, json } from '../../../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../../../http/endpoint/page-limit.ts';
import type { Logger } from '../../../../ports/ports.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from '../local-tracker-deps.ts';
import { addLocalComment } from './add-local-comment.ts';
import { listLocalAttachments } from './list-local-attachments.ts';
import { listLocalComments } from './list-local-comments.ts';

type CommentDeps = Pick<LocalTrackerDeps, 'db' | 'clock' | 'ids'> & {
  logger: Logger;
  /** Requests a coordinator run, since a comment may requeue work. */
  wake: () => void;
  /**
   * Passes a person's comment on, to steer or requeue work; its failure does not undo the comment.
   */
  onHumanComment: (
    issue: { tracker: string; id: string; identifier: string },
    comment: LocalComment,
  ) => Promise<void>;
};

const ById = z.object({ id: z.string().openapi({ example: 'SY-1' }) });
const UNKNOWN = { 404: 'No such issue' };
const CommentPage = z.object({ comments: z.array(LocalComment), total: z.int() });
const Attachments = z.object({
  attachments: z.array(
    z.object({ url: z.string(), title: z.string(), createdAt: z.iso.datetime() }),
  ),
});

/** Routes for comments on issues of the built-in tracker. */
export function localCommentRoutes(deps: CommentDeps) {
  return [
    endpoint({
      at: 'POST /api/v1/local/issues/{id}/comments',
      summary: 'Comment on an issue; steers a running turn and wakes a blocked or failed issue',
      params: ById,
      body: CreateLocalComment,
      answer: json(201, 'The comment', LocalComment),
      refusals: UNKNOWN,
      handler: async ({ params: { id: identifier }, body, caller }) => {
        const { issue, comment } = await addLocalComment(deps, caller, { identifier, ...body });
        await handOver(deps, issue, comment);
        deps.wake();
        return comment;
      },
    }),
    endpoint({
      at: 'GET /api/v1/local/issues/{id}/comments',
      summary: 'Comments of an issue, oldest first',
      params: ById,
      query: OffsetPage,
      answer: json(200, 'A page of comments', CommentPage),
      refusals: UNKNOWN,
      handler: ({ params: { id: identifier }, query }) =>
        listLocalComments(deps, { identifier, ...query }),
    }),
  ] as const;
}

/** The route for links on issues of the built-in tracker. */
export function localAttachmentRoutes(
  deps: Pick<LocalTrackerDeps, 'db'> & {
    /** A stored link with this service's present origin. */
    ownLink: (link: string) => string;
  },
) {
  return [
    endpoint({
      at: 'GET /api/v1/local/issues/{id}/attachments',
      summary: 'Links shown on an issue, such as its pull requests',
      params: ById,
      answer: json(200, 'The links', Attachments),
      refusals: UNKNOWN,
      handler: async ({ params: { id } }) => {
        const stored = await listLocalAttachments(deps, id);
        return { attachments: stored.map((one) => ({ ...one, url: deps.ownLink(one.url) })) };
      },
    }),
  ] as const;
}

async function handOver(
  deps: Pick<CommentDeps, 'logger' | 'onHumanComment'>,
  issue: { id: string; identifier: string },
  comment: LocalComment,
): Promise<void> {
  const { id, identifier } = issue;
  try {
    await deps.onHumanComment({ tracker: LOCAL_TRACKER, id, identifier }, comment);
  } catch (error) {
    const message = messageOf(error);
    deps.logger.warn('a comment could not be handed over', { identifier, error: message });
  }
}
