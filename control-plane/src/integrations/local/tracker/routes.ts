import { z } from '@hono/zod-openapi';
import { briefIssue, Issue, MAX_EXCERPT_CHARS } from '@switchyard/shared/api/work/issue';
import { CreateLocalIssue, UpdateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import type { IssueRow } from '../../../db/schema/work/issues.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { createLocalIssue } from './create-local-issue.ts';
import { listLocalIssues } from './list-local-issues.ts';
import { localIssueRow } from './local-issue-row.ts';
import type { LocalTrackerDeps } from './local-tracker-deps.ts';
import { indexRow } from './queries.ts';
import { endpoint, json } from '../../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../../http/endpoint/page-limit.ts';
import { updateLocalIssue } from './update-local-issue.ts';

type IssueDeps = LocalTrackerDeps & {
  /** Requests a coordinator run, since a person changed what may be dispatched. */
  wake: () => void;
  /** An issue as the API shows it. */
  toRecord: (row: IssueRow) => Issue;
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

/** Routes for issues of the built-in tracker. */
export function localIssueRoutes(deps: IssueDeps) {
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

async function record(
  deps: Pick<IssueDeps, 'db' | 'toRecord'>,
  issue: TrackerIssue,
): Promise<Issue> {
  return deps.toRecord(localIssueRow(issue, await indexRow(deps.db, issue.id)));
}
