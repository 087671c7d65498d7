import { createRoute, defineOpenAPIRoute, z } from '@hono/zod-openapi';
import { ErrorBody } from '@switchyard/shared/api/error';
import type { Database } from '../db/database.ts';
import { auditPage } from './queries.ts';
import type { AuditRow } from './queries.ts';

const MAX_LIMIT = 1_000;

const Query = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(50).describe('Entries to answer.'),
  offset: z.coerce.number().int().min(0).default(0).describe('Entries to leave out first.'),
});

const AuditEntry = z
  .object({
    entry: z.int(),
    operation: z.string().describe('Verb and object, for example config.patch.'),
    path: z.string(),
    timestamp: z.iso.datetime(),
    source: z.enum(['API', 'wizard', 'CLI', 'runner', 'service']),
    actor: z.string(),
    subject: z.string().nullable(),
    requestId: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' });
type AuditEntry = z.infer<typeof AuditEntry>;

const AuditPage = z
  .object({ entries: z.array(AuditEntry), total: z.int() })
  .meta({ id: 'AuditPage' });

/** The append-only record of changes. */
export function auditRoutes(deps: { db: Database }) {
  return [
    defineOpenAPIRoute({
      route: createRoute({
        method: 'get',
        path: '/api/v1/audit',
        summary: 'Audit entries, newest first',
        request: { query: Query },
        responses: {
          200: { description: 'A page', content: { 'application/json': { schema: AuditPage } } },
          400: {
            description: 'limit or offset is not acceptable',
            content: { 'application/json': { schema: ErrorBody } },
          },
        },
      }),
      handler: async (c) => {
        const { rows, total } = await auditPage(deps.db, c.req.valid('query'));
        return c.json({ entries: rows.map(auditEntry), total }, 200);
      },
    }),
  ] as const;
}

function auditEntry(row: AuditRow): AuditEntry {
  return {
    entry: row.entry,
    operation: row.operation,
    path: row.path,
    timestamp: new Date(row.at_ms).toISOString(),
    source: row.source,
    actor: row.actor,
    subject: row.subject,
    requestId: row.request_id,
    details: row.details,
  };
}
