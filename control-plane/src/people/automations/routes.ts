import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import {
  AutomationList,
  AutomationRun,
  AutomationRunList,
} from '@switchyard/shared/api/automation';
import { ErrorBody } from '@switchyard/shared/api/error';
import type { Deps } from '../../deps.ts';
import { callerOf } from '../../http/caller/caller.ts';
import { fromCursor, toCursor } from '../../http/page-position.ts';
import { jsonContent } from '../../json-content.ts';
import { listAutomations } from './list-automations.ts';
import { runPage } from './queries.ts';
import { runAutomation } from './run-automation.ts';
import { runRecord } from './run-record.ts';

const Query = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  automation_name: z.string().min(1).max(100).optional(),
  cursor: z.string().max(500).optional().describe('nextCursor of the page before.'),
});

/** Work that a clock starts. */
export function automationRoutes(deps: Deps) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/automations',
        summary: 'Configured automations and scheduler state',
        responses: { 200: jsonContent('Automations', AutomationList) },
      }),
      handler: async (c) => c.json({ automations: await listAutomations(deps) }, 200),
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/automations/runs',
        summary: 'Runs of automations, newest first',
        request: { query: Query },
        responses: {
          200: jsonContent('A page', AutomationRunList),
          400: jsonContent('Bad query', ErrorBody),
        },
      }),
      handler: async (c) => {
        const { limit, automation_name: name, cursor } = c.req.valid('query');
        const page = await runPage(deps.db, { limit, name, after: fromCursor(cursor) });
        const last = page.more ? page.rows.at(-1) : undefined;
        const nextCursor =
          last === undefined ? null : toCursor({ atMs: last.started_at_ms, id: last.run_id });
        return c.json({ runs: page.rows.map(runRecord), total: page.total, nextCursor }, 200);
      },
    }),
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/automations/{name}/run',
        summary: 'Run an automation now',
        request: { params: z.object({ name: z.string().min(1).max(100) }) },
        responses: {
          202: jsonContent('It runs', AutomationRun),
          404: jsonContent('Unknown', ErrorBody),
          409: jsonContent('A run of it is under way', ErrorBody),
        },
      }),
      handler: async (c) =>
        c.json(await runAutomation(deps, c.req.valid('param').name, callerOf(c)), 202),
    }),
  ] as const;
}
