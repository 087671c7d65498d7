import { z } from '@hono/zod-openapi';
import { TransitionList } from '@switchyard/shared/api/work/transition';
import { IssueIdentifier } from '@switchyard/shared/ids';
import type { Deps } from '../deps.ts';
import { endpoint, json } from '../http/endpoint/endpoint.ts';
import { PageLimit } from '../http/endpoint/page-limit.ts';
import { createListTransitions } from './list-transitions.ts';

const Query = z.object({
  issue: IssueIdentifier.optional().describe('Only this issue.'),
  limit: PageLimit.describe('Entries of the log.'),
  cursor: z.string().min(1).max(64).optional().describe('`nextCursor` of the page before.'),
});

/** Routes that list where issues may move; register them before the routes of single issues. */
export function transitionRoutes(deps: Pick<Deps, 'db' | 'clock' | 'trackers'>) {
  const listTransitions = createListTransitions(deps);
  return [
    endpoint({
      at: 'GET /api/v1/transitions',
      summary: 'States that issues may move to, and a log of moves',
      description: 'States of the 500 most recently changed issues, or of the one that is named.',
      query: Query,
      answer: json(200, 'States and log', TransitionList),
      refusals: { 404: 'No such issue' },
      handler: ({ query }) => listTransitions(query),
    }),
  ] as const;
}
