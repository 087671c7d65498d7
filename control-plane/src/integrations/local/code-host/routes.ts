import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ErrorBody } from '@switchyard/shared/api/error';
import { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { Caller } from '../../../observe/audit/caller.ts';
import { jsonContent } from '../../../json-content.ts';
import type { Blobs, Logger } from '../../../ports.ts';
import { closePullRequest } from './close-pull-request.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';
import { type MergeInRepository, mergePullRequest } from './merge-pull-request.ts';
import { pullRequestDiff } from './pull-request-diff.ts';
import { pullRequestRecord } from '../../../pull-requests/pull-request-record.ts';
import { pullRequestPage, requirePullRequest } from './queries.ts';

/** What the built-in code host's routes need beyond the host itself. */
export type LocalCodeHostRouteDeps = LocalCodeHostDeps & {
  blobs: Blobs;
  logger: Logger;
  /** Who asks, for the audit. */
  callerOf: (c: Context) => Caller;
  merge: MergeInRepository;
  /** Told after the end is stored; a failure does not undo it. */
  onMerged?: (pullRequest: PullRequest) => Promise<void>;
  onClosed?: (pullRequest: PullRequest) => Promise<void>;
};

const Params = z.object({ id: z.string() });
const Query = z.object({
  status: PullRequest.shape.status.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});
const UNKNOWN = { 404: jsonContent('No such pull request', ErrorBody) };
const CONFLICT = { 409: jsonContent('Not open, or it conflicts with its base', ErrorBody) };
const PullRequestPage = z.object({ pullRequests: z.array(PullRequest), total: z.int() });

/** Pull requests of the built-in code host. */
export function localCodeHostRoutes(deps: LocalCodeHostRouteDeps) {
  return [
    listRoute(deps),
    getRoute(deps),
    diffRoute(deps),
    mergeRoute(deps),
    closeRoute(deps),
  ] as const;
}

function listRoute(deps: LocalCodeHostRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/local/pull-requests',
      summary: 'Pull requests of the built-in code host, newest first',
      request: { query: Query },
      responses: {
        200: jsonContent('A page of pull requests', PullRequestPage),
        400: jsonContent('The request is malformed', ErrorBody),
      },
    }),
    handler: async (c) => {
      const { status, limit, offset } = c.req.valid('query');
      const page = await pullRequestPage(deps.db, { status, limit, offset });
      const records = page.rows.map((row) => pullRequestRecord(deps, row));
      return c.json({ pullRequests: records, total: page.total }, 200);
    },
  });
}

function getRoute(deps: LocalCodeHostRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/local/pull-requests/{id}',
      summary: 'One pull request of the built-in code host',
      request: { params: Params },
      responses: { 200: jsonContent('The pull request', PullRequest), ...UNKNOWN },
    }),
    handler: async (c) => {
      const row = await requirePullRequest(deps.db, c.req.valid('param').id);
      return c.json(pullRequestRecord(deps, row), 200);
    },
  });
}

function diffRoute(deps: LocalCodeHostRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'get',
      path: '/api/v1/local/pull-requests/{id}/diff',
      summary: 'The unified diff of a pull request',
      request: { params: Params },
      responses: {
        200: { description: 'Unified diff', content: { 'text/plain': { schema: z.string() } } },
        404: jsonContent('No such pull request, or it has no diff', ErrorBody),
      },
    }),
    handler: async (c) => {
      const bytes = await pullRequestDiff(deps, c.req.valid('param').id);
      // A browser must not take a diff for a page: its content is the agent's.
      c.header('X-Content-Type-Options', 'nosniff');
      return c.text(new TextDecoder().decode(bytes), 200);
    },
  });
}

function mergeRoute(deps: LocalCodeHostRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/local/pull-requests/{id}/merge',
      summary: 'Merge an open pull request into its base branch',
      request: { params: Params },
      responses: {
        200: jsonContent('The merged pull request', PullRequest),
        ...UNKNOWN,
        ...CONFLICT,
        503: jsonContent('No runner can merge now', ErrorBody),
      },
    }),
    handler: async (c) => {
      const { id } = c.req.valid('param');
      const pullRequest = await mergePullRequest(deps, deps.merge, deps.callerOf(c), id);
      await tell(deps, deps.onMerged, pullRequest);
      return c.json(pullRequest, 200);
    },
  });
}

function closeRoute(deps: LocalCodeHostRouteDeps) {
  return defineOpenAPIRoute({
    route: createRoute({
      method: 'post',
      path: '/api/v1/local/pull-requests/{id}/close',
      summary: 'Close an open pull request without merging it',
      request: { params: Params },
      responses: {
        200: jsonContent('The closed pull request', PullRequest),
        ...UNKNOWN,
        ...CONFLICT,
      },
    }),
    handler: async (c) => {
      const pullRequest = await closePullRequest(deps, deps.callerOf(c), c.req.valid('param').id);
      await tell(deps, deps.onClosed, pullRequest);
      return c.json(pullRequest, 200);
    },
  });
}

async function tell(
  deps: Pick<LocalCodeHostRouteDeps, 'logger'>,
  listener: ((pullRequest: PullRequest) => Promise<void>) | undefined,
  pullRequest: PullRequest,
): Promise<void> {
  try {
    await listener?.(pullRequest);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const { id, status } = pullRequest;
    deps.logger.warn('the end of a pull request had no effect', { id, status, error: message });
  }
}
