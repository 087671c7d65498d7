import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { AlertHistory, type AlertHistoryRow } from '@switchyard/shared/api/alert';
import { ErrorBody } from '@switchyard/shared/api/error';
import type { AlertHistoryRow as StoredRow } from '../../db/schema/people/alerts.ts';
import type { Deps } from '../../deps.ts';
import { fromCursor, toCursor } from '../../http/page-position.ts';
import { jsonContent } from '../../json-content.ts';
import { historyPage } from './queries.ts';

const Query = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  rule_name: z.string().min(1).max(100).optional(),
  cursor: z.string().max(500).optional().describe('nextCursor of the page before.'),
});

/** What the alert rules found. */
export function alertRoutes(deps: Pick<Deps, 'db'>) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/alerts/history',
        summary: 'Evaluations, triggers and cooldowns of alert rules, newest first',
        request: { query: Query },
        responses: {
          200: jsonContent('A page', AlertHistory),
          400: jsonContent('Bad query', ErrorBody),
        },
      }),
      handler: async (c) => {
        const { limit, rule_name: ruleName, cursor } = c.req.valid('query');
        const page = await historyPage(deps.db, { limit, ruleName, after: fromCursor(cursor) });
        const last = page.more ? page.rows.at(-1) : undefined;
        const nextCursor =
          last === undefined ? null : toCursor({ atMs: last.first_at_ms, id: last.history_id });
        return c.json({ history: page.rows.map(historyRow), total: page.total, nextCursor }, 200);
      },
    }),
  ] as const;
}

function historyRow(row: StoredRow): AlertHistoryRow {
  return {
    id: row.history_id,
    ruleName: row.rule_name,
    kind: row.kind,
    severity: row.severity,
    value: row.value,
    threshold: row.threshold,
    evaluations: row.evaluations,
    message: row.message,
    at: new Date(row.first_at_ms).toISOString(),
    lastAt: new Date(row.last_at_ms).toISOString(),
  };
}
