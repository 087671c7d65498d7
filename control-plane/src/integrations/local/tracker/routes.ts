import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { ErrorBody } from '@switchyard/shared/api/error';
import { Issue } from '@switchyard/shared/api/work/issue';
import {
  CreateLocalComment,
  CreateLocalIssue,
  LocalComment,
  UpdateLocalIssue,
} from '@switchyard/shared/api/work/local-issue';
import type { Context } from 'hono';
import type { Caller } from '../../../observe/audit/caller.ts';
import type { IssueRow } from '../../../db/schema/work/issues.ts';
import { jsonContent } from '../../../json-content.ts';
import type { Logger } from '../../../ports.ts';
import type { TrackerIssue } from '../../../issues/tracker/tracker.ts';
import { addLocalComment } from './comments/add-local-comment.ts';
import { createLocalIssue } from './create-local-issue.ts';
import { listLocalAttachments } from './comments/list-local-attachments.ts';
import { listLocalComments } from './comments/list-local-comments.ts';
import { listLocalIssues } from './list-local-issues.ts';
import { localIssueRow } from './local-issue-row.ts';
import { LOCAL_TRACKER, type LocalTrackerDeps } from './local-tracker-deps.ts';
import { indexRow } from './queries.ts';
import { updateLocalIssue } from './update-local-issue.ts';

/** What the built-in tracker's routes need beyond the tracker itself. */
export type LocalTrackerRouteDeps = LocalTrackerDeps & {
  logger: Logger;
  /** Asks for a coordinator run: a person has changed what may be dispatched. */
  wake: () => void;
  /** Who asks, for the audit. */
  callerOf: (c: Context) => Caller;
  /** An issue as the API shows it. */
  toRecord: (row: IssueRow) => Issue;
  /** A stored link as it leads there today; left out: as it was stored. */
  ownLink?: (link: string) => string;
  /** Hands a person's comment to whoever steers or wakes; its failure does not undo the comment. */
  onHumanComment?: (
    issue: { tracker: string; id: string; identifier: string },
    comment: LocalComment,
  ) => Promise<void>;
};

const Params = z.object({ id: z.string().openapi({ example: 'SY-1' }) });
const Page = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});
const IssuePage = z.object({ issues: z.array(Issue), total: z.int() });
const CommentPage = z.object({ comments: z.array(LocalComment), total: z.int() });
const INVALID = { 400: jsonContent('The request is malformed', ErrorBody) };
const UNKNOWN = { 404: jsonContent('No such issue', ErrorBody) };
const CONFLICT = { 409: jsonContent('Not possible in the present state', ErrorBody) };
const Attachments = z.object({
  attachments: z.array(
    z.object({ url: z.string(), title: z.string(), createdAt: z.iso.datetime() }),
  ),
});

/** Issues of the built-in tracker and their comments. */
export function localTrackerRoutes(deps: LocalTrackerRouteDeps) {
  return [
    createIssueRoute(deps),
    listIssuesRoute(deps),
    updateIssueRoute(deps),
    addCommentRoute(deps),
    listCommentsRoute(deps),
    listAttachmentsRoute(deps),
  ] as const;
}

function createIssueRoute(deps: LocalTrackerRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/local/issues',
      summary: 'Create an issue in the built-in tracker',
      request: { body: body(CreateLocalIssue) },
      responses: { 201: jsonContent('The issue', Issue), ...INVALID, ...CONFLICT },
    }),
    handler: async (c) => {
      const issue = await createLocalIssue(deps, deps.callerOf(c), c.req.valid('json'));
      deps.wake();
      return c.json(await record(deps, issue), 201);
    },
  });
}

function listIssuesRoute(deps: LocalTrackerRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/local/issues',
      summary: 'Issues of the built-in tracker, newest first',
      request: { query: Page.extend({ state: z.string().max(64).optional() }) },
      responses: { 200: jsonContent('A page of issues', IssuePage), ...INVALID },
    }),
    handler: async (c) => {
      const { state, limit, offset } = c.req.valid('query');
      const page = await listLocalIssues(deps, { state, limit, offset });
      return c.json({ issues: page.rows.map(deps.toRecord), total: page.total }, 200);
    },
  });
}

function updateIssueRoute(deps: LocalTrackerRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'patch',
      path: '/api/v1/local/issues/{id}',
      summary: 'Change an issue of the built-in tracker; what is left out stays',
      request: { params: Params, body: body(UpdateLocalIssue) },
      responses: { 200: jsonContent('The issue', Issue), ...INVALID, ...UNKNOWN, ...CONFLICT },
    }),
    handler: async (c) => {
      const issue = await updateLocalIssue(deps, deps.callerOf(c), {
        identifier: c.req.valid('param').id,
        changes: c.req.valid('json'),
      });
      deps.wake();
      return c.json(await record(deps, issue), 200);
    },
  });
}

function addCommentRoute(deps: LocalTrackerRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/local/issues/{id}/comments',
      summary: 'Comment on an issue; steers a running turn and wakes a blocked or failed issue',
      request: { params: Params, body: body(CreateLocalComment) },
      responses: { 201: jsonContent('The comment', LocalComment), ...INVALID, ...UNKNOWN },
    }),
    handler: async (c) => {
      const { issue, comment } = await addLocalComment(deps, deps.callerOf(c), {
        identifier: c.req.valid('param').id,
        body: c.req.valid('json').body,
      });
      await handOver(deps, issue, comment);
      deps.wake();
      return c.json(comment, 201);
    },
  });
}

function listCommentsRoute(deps: LocalTrackerRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/local/issues/{id}/comments',
      summary: 'Comments of an issue, oldest first',
      request: { params: Params, query: Page },
      responses: { 200: jsonContent('A page of comments', CommentPage), ...INVALID, ...UNKNOWN },
    }),
    handler: async (c) => {
      const { limit, offset } = c.req.valid('query');
      const identifier = c.req.valid('param').id;
      return c.json(await listLocalComments(deps, { identifier, limit, offset }), 200);
    },
  });
}

function listAttachmentsRoute(deps: LocalTrackerRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/local/issues/{id}/attachments',
      summary: 'Links shown on an issue, such as its pull requests',
      request: { params: Params },
      responses: { 200: jsonContent('The links', Attachments), ...UNKNOWN },
    }),
    handler: async (c) => {
      const { ownLink = (link: string) => link } = deps;
      const stored = await listLocalAttachments(deps, c.req.valid('param').id);
      const attachments = stored.map((one) => ({ ...one, url: ownLink(one.url) }));
      return c.json({ attachments }, 200);
    },
  });
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
    const message = error instanceof Error ? error.message : String(error);
    deps.logger.warn('a comment could not be handed over', { identifier, error: message });
  }
}

function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } };
}
