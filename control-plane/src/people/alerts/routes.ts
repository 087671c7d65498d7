import { z } from '@hono/zod-openapi';
import { AlertHistory, type AlertHistoryRow } from '@switchyard/shared/api/alert';
import type { AlertHistoryRow as StoredRow } from '../../db/schema/people/alerts.ts';
import type { Deps } from '../../deps.ts';
import { fromCursor, nextCursor } from '../../http/page-position.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { CursorPage } from '../../http/endpoint/page-limit.ts';
import { historyPage } from './queries.ts';

const Query = CursorPage.extend({
  rule_name: z.string().min(1).max(100).optional(),
});

/** Routes of the alert history. */
export function alertRoutes(deps: Pick<Deps, 'db'>) {
  return [
    endpoint({
      at: 'GET /api/v1/alerts/history',
      summary: 'Evaluations, triggers and cooldowns of alert rules, newest first',
      query: Query,
      answer: json(200, 'A page', AlertHistory),
      handler: async ({ query: { limit, rule_name: ruleName, cursor } }) => {
        const page = await historyPage(deps.db, { limit, ruleName, after: fromCursor(cursor) });
        return {
          history: page.rows.map(historyRow),
          total: page.total,
          nextCursor: nextCursor(page, (row) => ({ atMs: row.first_at_ms, id: row.history_id })),
        };
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
