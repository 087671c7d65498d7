import { IssueTree, SplitIssue, SplitResponse } from '@switchyard/shared/api/issue-tree';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { byIssue } from '../by-issue.ts';
import { issueTree } from './issue-tree.ts';
import { splitIssue } from './split-issue.ts';

/** Routes for the parts of issues. */
export function subIssueRoutes(deps: Pick<Deps, 'db' | 'clock' | 'trackers' | 'wake' | 'service'>) {
  return [
    endpoint({
      at: 'POST /api/v1/{id}/sub-issues',
      summary: 'Split an issue into sub-issues, for which it waits from then on',
      params: byIssue,
      body: SplitIssue,
      answer: json(201, 'The issue and its new parts', SplitResponse),
      refusals: {
        409: 'It runs or is closed, or its tracker cannot split issues from here',
        502: 'The tracker refused',
      },
      handler: ({ params: { id: identifier }, body: split, caller }) =>
        splitIssue(deps, { identifier, split, caller }),
    }),
    endpoint({
      at: 'GET /api/v1/{id}/tree',
      summary: 'The whole tree that an issue belongs to, each issue followed by its parts',
      params: byIssue,
      answer: json(200, 'The tree', IssueTree),
      handler: ({ params: { id: identifier } }) => issueTree(deps, { identifier }),
    }),
  ] as const;
}
