import { z } from '@hono/zod-openapi';
import { briefIssue, Issue, MAX_EXCERPT_CHARS } from '@switchyard/shared/api/work/issue';
import {
  CreateLocalComment,
  CreateLocalIssue,
  LocalComment,
  UpdateLocalIssue,
} from '@switchyard/shared/api/work/local-issue';
import { messageOf } from '@switchyard/shared/message-of';
import type { IssueRow } from '../../../db/schema/work/issues.ts';
import type { Logger } from '../../../ports/ports.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { addLocalComment } from './comments/add-local-comment.ts';
import { createLocalIssue } from './create-local-issue.ts';
import { listLocalAttachments } from './comments/list-local-attachments.ts';
import { listLocalComments } from './comments/list-local-comments.ts';
import { listLocalIssues } from './list-local-issues.ts';
import { localIssueRow } from './local-issue-row.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';
import { indexRow } from './queries.ts';
import { endpoint, json } from '../../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../../http/endpoint/page-limit.ts';
import { updateLocalIssue } from './update-local-issue.ts';

/** Further dependencies of the built-in tracker's routes. */
export type LocalTrackerRouteDeps = LocalTrackerDeps & {
  logger: Logger;
  /** Requests a coordinator run, since a person changed what may be dispatched. */
  wake: () => void;
  /** An issue as the API shows it. */
  toRecord: (row: IssueRow) => Issue;
  /** A stored link with this service's present origin; left out: as stored. */
  ownLink?: (link: string) => string;
  /**
   * Passes a person's comment on, to steer or requeue work; its failure does not undo the comment.
   */
  onHumanComment?: (
    issue: { tracker: string; id: string; identifier: string },
    comment: LocalComment,
  ) => Promise<void>;
};

const ById = z.object({ id: z.string().openapi({ example: 'SY-1' }) });
const UNKNOWN = { 404: 'No such issue' };
const ListQuery = OffsetPage.extend({
  state: z.string().max(64).optional(),
  description: z
    .enum(['whole', 'excerpt'])
    .default('whole')
    .describe(
      `\`excerpt\`: of each description its beginning, at most ${MAX_EXCERPT_CHARS} characters.`,
    ),
});
const IssuePage = z.object({ issues: z.array(Issue), total: z.int() });
const CommentPage = z.object({ comments: z.array(LocalComment), total: z.int() });
const Attachments = z.object({
  attachments: z.array(
    z.object({ url: z.string(), title: z.string(), createdAt: z.iso.datetime() }),
  ),
});

/** Routes for issues of the built-in tracker and their comments. */
export function localTrackerRoutes(deps: LocalTrackerRouteDeps) {
  return [...issueRoutes(deps), ...commentRoutes(deps)] as const;
}

function issueRoutes(deps: LocalTrackerRouteDeps) {
  return [
    endpoint({
      at: 'POST /api/v1/local/issues',
      summary: 'Create an issue in the built-in tracker',
      body: CreateLocalIssue,
      answer: json(201, 'The issue', Issue),
      refusals: { 409: 'Its identifiers belong to another tracker' },
      handler: async ({ body, caller }) => {
        const issue = await createLocalIssue(deps, caller, body);
        deps.wake();
        return record(deps, issue);
      },
    }),
    endpoint({
      at: 'GET /api/v1/local/issues',
      summary: 'Issues of the built-in tracker, newest first',
      query: ListQuery,
      answer: json(200, 'A page of issues', IssuePage),
      handler: async ({ query }) => {
        const page = await listLocalIssues(deps, query);
        const all = page.rows.map(deps.toRecord);
        const issues = query.description === 'excerpt' ? all.map(briefIssue) : all;
        return { issues, total: page.total };
      },
    }),
    endpoint({
      at: 'PATCH /api/v1/local/issues/{id}',
      summary: 'Change an issue of the built-in tracker; what is left out stays',
      params: ById,
      body: UpdateLocalIssue,
      answer: json(200, 'The issue', Issue),
      refusals: { ...UNKNOWN, 409: 'Others keep changing it; try again' },
      handler: async ({ params: { id: identifier }, body: changes, caller }) => {
        const issue = await updateLocalIssue(deps, caller, { identifier, changes });
        deps.wake();
        return record(deps, issue);
      },
    }),
  ] as const;
}

function commentRoutes(deps: LocalTrackerRouteDeps) {
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
    endpoint({
      at: 'GET /api/v1/local/issues/{id}/attachments',
      summary: 'Links shown on an issue, such as its pull requests',
      params: ById,
      answer: json(200, 'The links', Attachments),
      refusals: UNKNOWN,
      handler: async ({ params: { id } }) => {
        const { ownLink = (link: string) => link } = deps;
        const stored = await listLocalAttachments(deps, id);
        return { attachments: stored.map((one) => ({ ...one, url: ownLink(one.url) })) };
      },
    }),
  ] as const;
}

async function record(deps: LocalTrackerRouteDeps, issue: TrackerIssue): Promise<Issue> {
  return deps.toRecord(localIssueRow(issue, await indexRow(deps.db, issue.id)));
}

async function handOver(
  deps: LocalTrackerRouteDeps,
  issue: { id: string; identifier: string },
  comment: LocalComment,
): Promise<void> {
  const { id, identifier } = issue;
  try {
    await deps.onHumanComment?.({ tracker: LOCAL_TRACKER, id, identifier }, comment);
  } catch (error) {
    const message = messageOf(error);
    deps.logger.warn('a comment could not be handed over', { identifier, error: message });
  }
}
