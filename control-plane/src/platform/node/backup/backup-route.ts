import { createRoute, defineOpenAPIRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { auditStatement } from '../../../observe/audit/audit-statement.ts';
import type { Deps } from '../../../deps.ts';
import { AppError } from '../../../errors.ts';
import type { HttpEnv } from '../../../http/bindings.ts';
import { callerOf } from '../../../http/caller/caller.ts';
import { errorResponses } from '../../../http/error-responses.ts';
import { takeBackup } from './take-backup.ts';

const BackupRecord = z
  .object({
    /** On the machine of the service. */
    path: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    takenAt: z.iso.datetime(),
  })
  .meta({ id: 'Backup' });

/** `POST /api/v1/backup`: a consistent copy into the data folder while the service goes on. */
export function backupRoute(
  app: OpenAPIHono<HttpEnv>,
  deps: Pick<Deps, 'db' | 'clock'>,
  dataDir: string,
): void {
  let underWay = false;
  app.openapiRoutes([
    defineOpenAPIRoute({
      route: createRoute({
        method: 'post',
        path: '/api/v1/backup',
        operationId: 'takeBackup',
        tags: ['Service'],
        summary: 'Copy the database into the data folder, consistently, while everything runs',
        responses: {
          201: {
            description: 'The copy',
            content: { 'application/json': { schema: BackupRecord } },
          },
          ...errorResponses(403, 409),
        },
      }),
      handler: async (c) => {
        if (underWay) throw new AppError('conflict', 'a backup is already being taken');
        underWay = true;
        try {
          const backup = await takeBackup({ dataDir, nowMs: deps.clock.nowMs() });
          const entry = {
            operation: 'backup.take',
            details: { bytes: backup.bytes, sha256: backup.sha256 },
          };
          const nowMs = deps.clock.nowMs();
          await deps.db.batch([auditStatement(deps.db, nowMs, callerOf(c), entry)]);
          return c.json(backup, 201);
        } finally {
          underWay = false;
        }
      },
    }),
  ] as const);
}
