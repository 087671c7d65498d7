import { z } from '@hono/zod-openapi';
import {
  AutomationList,
  AutomationRun,
  AutomationRunList,
} from '@switchyard/shared/api/automation';
import type { Deps } from '../../deps.ts';
import { fromCursor, nextCursor } from '../../http/page-position.ts';
import { listAutomations } from './list-automations.ts';
import { runPage } from './queries.ts';
import { runAutomation } from './run-automation.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { CursorPage } from '../../http/endpoint/page-limit.ts';
import { runRecord } from './run-record.ts';

const Query = CursorPage.extend({
  automation_name: z.string().min(1).max(100).optional(),
});

/** Routes of automations. */
export function automationRoutes(deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'config' | 'wake'>) {
  return [
    endpoint({
      at: 'GET /api/v1/automations',
      summary: 'Configured automations and scheduler state',
      answer: json(200, 'Automations', AutomationList),
      handler: async () => ({ automations: await listAutomations(deps) }),
    }),
    endpoint({
      at: 'GET /api/v1/automations/runs',
      summary: 'Runs of automations, newest first',
      query: Query,
      answer: json(200, 'A page', AutomationRunList),
      handler: async ({ query: { limit, automation_name: name, cursor } }) => {
        const page = await runPage(deps.db, { limit, name, after: fromCursor(cursor) });
        return {
          runs: page.rows.map(runRecord),
          total: page.total,
          nextCursor: nextCursor(page, (row) => ({ atMs: row.started_at_ms, id: row.run_id })),
        };
      },
    }),
    endpoint({
      at: 'POST /api/v1/automations/{name}/run',
      summary: 'Run an automation now',
      params: z.object({ name: z.string().min(1).max(100) }),
      answer: json(202, 'It runs', AutomationRun),
      refusals: { 404: 'Unknown', 409: 'A run of it is under way' },
      handler: ({ params: { name }, caller }) => runAutomation(deps, name, caller),
    }),
  ] as const;
}
