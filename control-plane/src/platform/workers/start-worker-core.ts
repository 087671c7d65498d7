import { createHmac, hash } from 'node:crypto';
import { productVersion } from '@switchyard/shared/product-version';
import { takeSecretVariables } from '@switchyard/shared/settings/take-secret-variables';
import { createRowBlobs } from '../../runners/blobs/create-row-blobs.ts';
import { composeCore } from '../../compose-core.ts';
import { createConfigStore } from '../../config/create-config-store.ts';
import { createIds } from '../../create-ids.ts';
import type { Deps } from '../../deps.ts';
import { createRowMetrics } from '../../observe/metrics/create-row-metrics.ts';
import { attemptCountOf } from '../../admin/observability/attempt-count.ts';
import {
  createErrorTracker,
  errorTrackingDsn,
} from '../../admin/observability/create-error-tracker.ts';
import { createRedactor } from '../../observe/redaction/create-redactor.ts';
import { redactConfigSecrets } from '../../admin/observability/redact-config-secrets.ts';
import { noErrorTracker } from '../../admin/observability/no-error-tracker.ts';
import { logToErrorTracker } from '../../admin/observability/log-to-error-tracker.ts';
import type { BackgroundTasks } from '../../ports/ports.ts';
import { readLeaseTimes } from '../../runners/leases/read-lease-times.ts';
import { newIdentity } from '../../admin/service/new-identity.ts';
import { serviceAudience } from '../../admin/service/service-audience.ts';
import { createBackground } from './create-background.ts';
import { environmentKeys } from './environment-keys.ts';
import { openRemoteDatabase } from '../../db/open-remote-database.ts';
import { retryBusy } from '../../db/server/create-server-fetch.ts';
import { freeBytes } from '../../db/server/free-bytes.ts';
import { readLarge } from '../../db/server/read-large.ts';
import type { BatchWriter } from '../../db/server/server-writer.ts';
import { databaseOf } from './database/database-of.ts';
import { requireMigrations } from './database/require-migrations.ts';
import { NotReady } from './not-ready.ts';
import { variablesOf, type WorkerEnv } from './worker-env.ts';
import { workerLogger } from './worker-logger.ts';

/** The parts that differ between the Worker and each kind of object. */
type OwnParts = Pick<Deps, 'sockets' | 'inboxes' | 'calls' | 'events' | 'wake'> &
  Partial<Pick<Deps, 'alarm' | 'liveText'>>;

/** Id of the one coordinator object, known to every part. */
export function coordinatorId(env: WorkerEnv): DurableObjectId {
  return env.COORDINATOR.idFromName('coordinator');
}

/** Wakes the coordinator and tells it this service's public origin; null when not known yet. */
export function wakeCoordinator(
  env: WorkerEnv,
  background: BackgroundTasks,
  publicOrigin: () => string | null,
): () => void {
  return () =>
    background.run('wake the coordinator', () =>
      env.COORDINATOR.get(coordinatorId(env)).wake(publicOrigin()),
    );
}

/**
 * Builds the neutral core over the remote database, once for each isolate or object. Throws, with
 * advice, when settings or migrations are missing.
 */
export async function startWorkerCore(
  env: WorkerEnv,
  own: (
    made: Pick<Deps, 'ids' | 'background' | 'clock' | 'logger' | 'service'> & { env: WorkerEnv },
  ) => OwnParts,
  writer: BatchWriter,
) {
  const variables = variablesOf(env);
  requireSecrets(variables);
  // Workers have only one clock, which stands still between waits and cannot be set.
  const clock = { nowMs: () => Date.now(), monotonicMs: () => Date.now() };
  const redactor = createRedactor();
  const logger = workerLogger(env, redactor);
  let errors = noErrorTracker;
  const background = createBackground(() => ({ logger, errors }));
  const address = databaseOf(variables);
  const db = openRemoteDatabase(address, writer);
  await requireMigrations(db);
  errors = await createErrorTracker({
    dsn: errorTrackingDsn(variables),
    release: `switchyard@${productVersion}`,
    redactor,
    complain: (message) => logger.warn(message),
    attemptCountOf: (issue) => attemptCountOf(db, issue),
  });
  const noting = logToErrorTracker(logger, errors);
  const ids = createIds(() => clock.nowMs());
  const leases = readLeaseTimes(variables);
  const service = newIdentity(
    { clock, leases },
    {
      version: productVersion,
      instanceId: coordinatorId(env).toString(),
      role: 'active',
      dataDir: null,
      audience: await serviceAudience(db, clock.nowMs()),
      publicOrigin: variables['SERVICE_PUBLIC_ORIGIN'] ?? null,
    },
  );
  const config = redactConfigSecrets(
    createConfigStore({ db, variables, baseFile: null, clock }),
    redactor,
  );
  await config.load();
  const core = composeCore({
    db,
    clock,
    ids,
    alarm: { set: () => {} },
    blobs: createRowBlobs(db, clock, {
      read: (statement, maxBytes) => retryBusy(() => readLarge(address, statement, maxBytes)),
      free: freeBytes,
    }),
    background,
    logger: noting,
    metrics: createRowMetrics({ db, background, logger: noting }),
    errors,
    redactor,
    config,
    hashText: (text) => hash('sha256', text, 'hex'),
    startHmac: (secret) => {
      const hmac = createHmac('sha256', secret);
      return { update: (bytes) => void hmac.update(bytes), hex: () => hmac.digest('hex') };
    },
    masterKeys: await environmentKeys(variables),
    service,
    leases,
    writes: writer,
    ...own({ ids, background, clock, logger: noting, service, env }),
  });
  return { ...core, variables };
}

function requireSecrets(variables: Readonly<Record<string, string>>): void {
  try {
    takeSecretVariables({ ...variables });
  } catch (error) {
    throw new NotReady(error instanceof Error ? error.message : 'a variable cannot be used');
  }
}
