import { AttemptList } from '@switchyard/shared/api/work/attempt';
import { IssueDetail } from '@switchyard/shared/api/work/issue';
import { IssuePullRequest } from '@switchyard/shared/api/work/pull-request';
import { byIssue } from './by-issue.ts';
import type { Deps } from '../deps.ts';
import { reuseAnswers } from '../http/reuse-answers.ts';
import { endpoint, json, text } from '../http/endpoint/endpoint.ts';
import { getIssueDetail, listAttempts } from './get-issue-detail.ts';
import { issueDiff } from './issue-diff.ts';
import { issuePullRequest } from './issue-pull-request.ts';

/** Routes that show single issues, addressed by their tracker identifier. */
export function issueRoutes(deps: Pick<Deps, 'db' | 'service' | 'trackers' | 'blobs'>) {
  const reuse = reuseAnswers(deps);
  const { service } = deps;
  return [
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
  ] as const;
}
