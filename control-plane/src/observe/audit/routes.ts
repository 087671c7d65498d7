import { z } from '@hono/zod-openapi';
import type { Database } from '../../db/database.ts';
import { type AuditRow, auditPage } from './chain/queries.ts';
import { type ChainVerification, verifyChain } from './chain/verify-chain.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { OffsetPage } from '../../http/endpoint/page-limit.ts';
import { namedObject } from '@switchyard/shared/named-object';

const MAX_LIMIT = 1_000;

const Query = OffsetPage.extend({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(50).describe('Entries to answer.'),
  verify: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether to check the whole record against its seals.'),
});

const AuditEntry = namedObject('AuditEntry', {
  entry: z.int(),
  operation: z.string().describe('Verb and object, for example config.patch.'),
  path: z.string(),
  timestamp: z.iso.datetime(),
  source: z.enum(['API', 'wizard', 'CLI', 'runner', 'service']),
  actor: z.string(),
  subject: z.string().nullable(),
  requestId: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
type AuditEntry = z.infer<typeof AuditEntry>;

const Verification = namedObject('AuditVerification', {
  ok: z.boolean(),
  verified: z.int().describe('Sealed entries that hold.'),
  unsealed: z.int().describe('The newest entries, which wait for their seal.'),
  firstBroken: z
    .object({
      entry: z.int(),
      problem: z.enum(['changed', 'missing', 'unsealed', 'truncated']),
    })
    .nullable(),
  head: z
    .object({ entry: z.int(), hash: z.string() })
    .nullable()
    .describe('The newest seal. Kept elsewhere, it shows that all before it stayed the same.'),
});

const AuditPage = namedObject('AuditPage', {
  entries: z.array(AuditEntry),
  total: z.int(),
  verification: Verification.optional(),
});

/** Routes of the append-only audit log. */
export function auditRoutes(deps: { db: Database }) {
  // The check reads the whole log, so concurrent requests share one run.
  let verifying: Promise<ChainVerification> | null = null;
  const verify = () => {
    verifying ??= verifyChain(deps.db).finally(() => (verifying = null));
    return verifying;
  };
  return [
    endpoint({
      at: 'GET /api/v1/audit',
      operationId: 'listAuditEntries',
      summary: 'Audit entries, newest first',
      query: Query,
      answer: json(200, 'A page', AuditPage),
      handler: async ({ query }) => {
        const { rows, total } = await auditPage(deps.db, query);
        const verification = query.verify === 'true' ? { verification: await verify() } : {};
        return { entries: rows.map(auditEntry), total, ...verification };
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
