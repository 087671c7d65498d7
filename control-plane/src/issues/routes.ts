import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { AttemptList } from '@switchyard/shared/api/work/attempt';
import { AbortResponse, IssueDetail, RetryResponse } from '@switchyard/shared/api/work/issue';
import { IssuePullRequest, PullRequest } from '@switchyard/shared/api/work/pull-request';
import { IssueIdentifier } from '@switchyard/shared/ids';
import type { Deps } from '../deps.ts';
import { callerOf } from '../http/caller/caller.ts';
import { isUnchanged, UNCHANGED } from '../http/is-unchanged.ts';
import { errorResponses } from '../http/error-responses.ts';
import { jsonContent } from '../json-content.ts';
import { abortIssue } from './actions/abort-issue.ts';
import { issueControlRoutes } from './actions/control-routes.ts';
import { getIssueDetail, listAttempts } from './get-issue-detail.ts';
import { issueDiff } from './issue-diff.ts';
import { issuePullRequest } from './issue-pull-request.ts';
import { publishIssue } from './actions/publish-issue.ts';
import { retryIssue } from './actions/retry-issue.ts';

const params = z.object({ id: IssueIdentifier });

/** Issues by their tracker identifier. */
export function issueRoutes(deps: Deps) {
  return [
    ...issueControlRoutes(deps),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/{id}',
        summary: 'Issue detail with recent events and attempts',
        request: { params },
        responses: { 200: jsonContent('The issue', IssueDetail), ...UNCHANGED },
      }),
      handler: async (c) => {
        const detail = await getIssueDetail(deps, { identifier: c.req.valid('param').id });
        if (isUnchanged(c, detail.version)) return c.body(null, 304);
        return c.json(await detail.answer(), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/{id}/attempts',
        summary: 'All attempts of an issue, newest first',
        request: { params },
        responses: { 200: jsonContent('The attempts', AttemptList), ...UNCHANGED },
      }),
      handler: async (c) => {
        const list = await listAttempts(deps, { identifier: c.req.valid('param').id });
        if (isUnchanged(c, list.version)) return c.body(null, 304);
        return c.json(await list.answer(), 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/{id}/diff',
        summary: "Unified diff of the issue's work so far",
        request: { params },
        responses: {
          200: { description: 'Unified diff', content: { 'text/plain': { schema: z.string() } } },
        },
      }),
      handler: async (c) =>
        c.text(await issueDiff(deps, { identifier: c.req.valid('param').id }), 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/{id}/pull-request',
        summary: "The issue's newest pull request with its checks as they were last seen",
        request: { params },
        responses: { 200: jsonContent('The pull request', IssuePullRequest) },
      }),
      handler: async (c) =>
        c.json(await issuePullRequest(deps, { identifier: c.req.valid('param').id }), 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/{id}/abort',
        summary: 'Stop what runs or waits for an issue',
        request: { params },
        responses: {
          202: jsonContent('The stop is under way', AbortResponse),
          ...errorResponses(404, 409),
        },
      }),
      handler: async (c) =>
        c.json(
          await abortIssue(deps, { identifier: c.req.valid('param').id, caller: callerOf(c) }),
          202,
        ),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/{id}/publish',
        summary: 'Make a draft pull request of unfinished work',
        request: { params },
        responses: { 201: jsonContent('The draft', PullRequest), ...errorResponses(404, 409) },
      }),
      handler: async (c) =>
        c.json(
          await publishIssue(deps, { identifier: c.req.valid('param').id, caller: callerOf(c) }),
          201,
        ),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/{id}/retry',
        summary: 'Start an issue afresh',
        request: { params },
        responses: { 202: jsonContent('Queued', RetryResponse), ...errorResponses(404, 409) },
      }),
      handler: async (c) =>
        c.json(
          await retryIssue(deps, { identifier: c.req.valid('param').id, caller: callerOf(c) }),
          202,
        ),
    }),
  ] as const;
}
