import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { auditStatement } from '../../../observe/audit/audit-statement.ts';
import type { Deps } from '../../../deps.ts';
import { AppError } from '../../../errors.ts';
import type { HttpEnv } from '../../../http/bindings.ts';
import { endpoint, json } from '../../../http/endpoint/endpoint.ts';
import { takeBackup } from './take-backup.ts';
import { namedObject } from '@switchyard/shared/named-object';

const BackupRecord = namedObject('Backup', {
  /** Path of the copy on the service's machine. */
  path: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  takenAt: z.iso.datetime(),
});

/**
 * `POST /api/v1/backup`: copies the database consistently into the data folder while the service
 * runs.
 */
export function backupRoute(
  app: OpenAPIHono<HttpEnv>,
  deps: Pick<Deps, 'db' | 'clock'>,
  dataDir: string,
): void {
  let underWay = false;
  const route = endpoint({
    at: 'POST /api/v1/backup',
    operationId: 'takeBackup',
    summary: 'Copy the database into the data folder, consistently, while everything runs',
    answer: json(201, 'The copy', BackupRecord),
    refusals: { 409: 'A backup is already being taken' },
    handler: async ({ caller }) => {
      if (underWay) throw new AppError('conflict', 'a backup is already being taken');
      underWay = true;
      try {
        const backup = await takeBackup({ dataDir, nowMs: deps.clock.nowMs() });
        const entry = {
          operation: 'backup.take',
          details: { bytes: backup.bytes, sha256: backup.sha256 },
        };
        await deps.db.batch([auditStatement(deps.db, deps.clock.nowMs(), caller, entry)]);
        return backup;
      } finally {
        underWay = false;
      }
    },
  });
  app.openapiRoutes([route]);
}
