import { createHmac, hash } from 'node:crypto';
import { productVersion } from '@switchyard/shared/product-version';
import { takeSecretVariables } from '@switchyard/shared/settings/take-secret-variables';
import { createRowBlobs } from '../../runners/blobs/create-row-blobs.ts';
import { createDeps } from '../../create-deps.ts';
import { trackErrors } from '../../admin/observability/track-errors.ts';
import { createHubSignal } from './hub-signal.ts';
import type { Deps } from '../../deps.ts';
import { createRowMetrics } from '../../observe/metrics/create-row-metrics.ts';
import { createRedactor } from '../../observe/redaction/create-redactor.ts';
import type { BackgroundTasks } from '../../ports/ports.ts';
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
type OwnParts = Pick<Deps, 'connections'> &
  Partial<Pick<Deps, 'alarm' | 'events' | 'liveText' | 'wake'>>;

/** Id of the one coordinator object, known to every part. */
export function coordinatorId(env: WorkerEnv): DurableObjectId {
  return env.COORDINATOR.idFromName('coordinator');
}

/** Wakes the coordinator and tells it this service's public origin; null when not known yet. */
function wakeCoordinator(
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
  own: (made: Pick<Deps, 'ids' | 'background' | 'clock'>) => OwnParts,
  writer: BatchWriter,
) {
  const variables = variablesOf(env);
  requireSecrets(variables);
  // Workers have only one clock, which stands still between waits and cannot be set.
  const clock = { nowMs: () => Date.now(), monotonicMs: () => Date.now() };
  const redactor = createRedactor();
  const address = databaseOf(variables);
  const db = openRemoteDatabase(address, writer);
  await requireMigrations(db);
  const { logger, errors } = await trackErrors({
    db,
    variables,
    version: productVersion,
    redactor,
    logger: workerLogger(env, redactor),
  });
  const { deps, config } = await createDeps({
    db,
    clock,
    logger,
    errors,
    background: createBackground(logger, errors),
    redactor,
    variables,
    masterKeys: await environmentKeys(variables),
    writes: writer,
    hashText: (text) => hash('sha256', text, 'hex'),
    startHmac: (secret) => {
      const hmac = createHmac('sha256', secret);
      return { update: (bytes) => void hmac.update(bytes), hex: () => hmac.digest('hex') };
    },
    identity: {
      version: productVersion,
      instanceId: coordinatorId(env).toString(),
      role: 'active',
      dataDir: null,
    },
    own: (made) => ({
      events: createHubSignal(env, made.background),
      blobs: createRowBlobs(db, clock, {
        read: (statement, maxBytes) => retryBusy(() => readLarge(address, statement, maxBytes)),
        free: freeBytes,
      }),
      metrics: createRowMetrics(made),
      wake: wakeCoordinator(env, made.background, () => made.service.publicOrigin),
      ...own(made),
    }),
  });
  await config.load();
  return { deps, variables };
}

function requireSecrets(variables: Readonly<Record<string, string>>): void {
  try {
    takeSecretVariables({ ...variables });
  } catch (error) {
    throw new NotReady(error instanceof Error ? error.message : 'a variable cannot be used');
  }
}
