import { z } from '@hono/zod-openapi';
import { AttemptList } from '@switchyard/shared/api/work/attempt';
import { AbortResponse, IssueDetail, RetryResponse } from '@switchyard/shared/api/work/issue';
import { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { IssueIdentifier } from '@switchyard/shared/ids';
import type { Deps } from '../deps.ts';
import { reuseAnswers } from '../http/reuse-answers.ts';
import { endpoint, json, text } from '../http/endpoint/endpoint.ts';
import { abortIssue } from './actions/abort-issue.ts';
import { issueControlRoutes } from './actions/control-routes.ts';
import { getIssueDetail, listAttempts } from './get-issue-detail.ts';
import { issueListRoutes } from './list/routes.ts';
import { issueDiff } from './issue-diff.ts';
import { issuePullRequest } from './issue-pull-request.ts';
import { retryIssue } from './actions/retry-issue.ts';

const byIssue = z.object({ id: IssueIdentifier });

/** Routes of single issues, addressed by their tracker identifier. */
export function issueRoutes(deps: Deps) {
  const reuse = reuseAnswers(deps);
  const { service } = deps;
  return [
    ...issueControlRoutes(deps),
    ...issueListRoutes(deps),
    endpoint({
      at: 'GET /api/v1/{id}',
      summary: 'Issue detail with recent events and attempts',
      params: byIssue,
      answer: json(200, 'The issue', IssueDetail),
      handler: ({ c, params: { id: identifier } }) =>
        reuse(c, `${identifier} ${service.publicOrigin}`, () =>
          getIssueDetail(deps, { identifier }),
        ),
    }),
    endpoint({
      at: 'GET /api/v1/{id}/attempts',
      summary: 'All attempts of an issue, newest first',
      params: byIssue,
      answer: json(200, 'The attempts', AttemptList),
      handler: ({ c, params: { id: identifier } }) =>
        reuse(c, `${identifier} attempts ${service.publicOrigin}`, () =>
          listAttempts(deps, { identifier }),
        ),
    }),
    endpoint({
      at: 'GET /api/v1/{id}/diff',
      summary: "Unified diff of the issue's work so far",
      params: byIssue,
      answer: text('Unified diff'),
      handler: ({ params: { id: identifier } }) => issueDiff(deps, { identifier }),
    }),
    endpoint({
      at: 'GET /api/v1/{id}/pull-request',
      summary: "The issue's newest pull request with its checks as they were last seen",
      params: byIssue,
      answer: json(200, 'The pull request', IssuePullRequest),
      handler: ({ params: { id: identifier } }) => issuePullRequest(deps, { identifier }),
    }),
    endpoint({
      at: 'POST /api/v1/{id}/abort',
      summary: 'Stop an issue that runs or waits, also for a person',
      params: byIssue,
      answer: json(202, 'The stop is under way', AbortResponse),
      refusals: { 409: 'Nothing runs or waits' },
      handler: ({ params: { id: identifier }, caller }) => abortIssue(deps, { identifier, caller }),
    }),
    endpoint({
      at: 'POST /api/v1/{id}/retry',
      summary: 'Retry an issue; earlier failures no longer count',
      params: byIssue,
      answer: json(202, 'Queued', RetryResponse),
      refusals: { 409: 'The issue is running' },
      handler: ({ params: { id: identifier }, caller }) => retryIssue(deps, { identifier, caller }),
    }),
  ] as const;
}
