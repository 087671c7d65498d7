import { IssueGroup, IssueList } from '@switchyard/shared/api/work/issue-list';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../http/endpoint/page-limit.ts';
import { listIssues } from './list-issues.ts';

const Query = OffsetPage.extend({
  group: IssueGroup.optional().describe(
    'Only issues of this group; `person`: those that need a person.',
  ),
});

/** Routes of the issue lists of all trackers; register them before the routes of single issues. */
export function issueListRoutes(deps: Pick<Deps, 'db' | 'service' | 'trackers' | 'config'>) {
  return [
    endpoint({
      at: 'GET /api/v1/issues',
      summary: 'Issues of all trackers, with what each needs a person for',
      description:
        'Those that need a person come with questions first, oldest first; then stopped issues, those that cannot start, and reviews. Other lists are newest first. An issue that needs a person for several things counts once.',
      query: Query,
      answer: json(200, 'A page of issues, and how many each group has', IssueList),
      handler: ({ query }) => listIssues(deps, { ...query, group: query.group }),
    }),
  ] as const;
}
