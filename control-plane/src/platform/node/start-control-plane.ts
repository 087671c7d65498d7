import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../app.ts';
import { composeCore } from '../../compose-core.ts';
import { type BaseFile, readBaseFile } from '../../config/base-file.ts';
import { createConfigStore } from '../../config/create-config-store.ts';
import { reloadBaseFile } from '../../config/reload-base-file.ts';
import { createCoordinator } from '../../coordinator/coordinator.ts';
import type { Database } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import { identityFromEnvironment } from '../../http/access/current-identity.ts';
import { trustsLoopback } from '../../http/caller/trusts-loopback.ts';
import type { Logger, MonotonicClock, RunnerInboxes } from '../../ports/ports.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { reencryptSecrets } from '../../config/secrets/rotate-master-key.ts';
import { acceptGivenJoinToken } from '../../runners/admin/accept-given-join-token.ts';
import { createRunnerCalls } from '../../runners/calls/runner-calls.ts';
import { createRunnerInboxes } from '../../runners/protocol/runner-inboxes.ts';
import { releaseLeadership } from '../../jobs/leadership/create-leadership.ts';
import { createRowMetrics } from '../../observe/metrics/create-row-metrics.ts';
import { attemptCountOf } from '../../admin/observability/attempt-count.ts';
import {
  createErrorTracker,
  errorTrackingDsn,
} from '../../admin/observability/create-error-tracker.ts';
import { createRedactor, hideEnvironment } from '../../observe/redaction/create-redactor.ts';
import type { Redactor } from '../../ports/redactor.ts';
import { redactConfigSecrets } from '../../admin/observability/redact-config-secrets.ts';
import { logToErrorTracker } from '../../admin/observability/log-to-error-tracker.ts';
import { backupBeforeMigrations } from './backup/backup-before-migrations.ts';
import { recordVersion } from '../../db/record-version.ts';
import { migrationsFolder, ownVersion } from './backup/migration-state.ts';
import { DATABASE_FILE } from './backup/take-backup.ts';
import { backupRoute } from './backup/backup-route.ts';
import { upgradeMessage } from './backup/upgrade-message.ts';
import { createAlarm } from './create-alarm.ts';
import { createBackgroundTasks } from './background-tasks.ts';
import { createRowBlobs } from '../../runners/blobs/create-row-blobs.ts';
import { createEventSignal } from '../../observe/events/create-event-signal.ts';
import { createLiveText } from '../../observe/events/create-live-text.ts';
import { createLead } from './create-lead.ts';
import { createPromMetrics } from './create-prom-metrics.ts';
import { createIds } from '../../create-ids.ts';
import { hashText } from './secrets/hash-text.ts';
import { startHmac } from './secrets/start-hmac.ts';
import { openAccess, openingUrl } from './secrets/open-access.ts';
import type { ServerAddress } from '../../db/server/create-server-fetch.ts';
import { type OpenDatabase, openDatabase } from './database/open-database.ts';
import { databaseServer, openServerDatabase } from './database/open-server-database.ts';
import { openSecrets } from './secrets/open-secrets.ts';
import { ensureLocalSecret, readLocalSecret } from './secrets/local-secret.ts';
import { readLeaseTimes } from '../../runners/leases/read-lease-times.ts';
import { runnerSocketRoute } from './sockets/runner-socket-route.ts';
import { SocketRegistry } from './sockets/socket-registry.ts';
import { newIdentity } from '../../admin/service/new-identity.ts';
import { serveApp } from './http/serve-app.ts';
import { serviceAudience } from '../../admin/service/service-audience.ts';
import { staticRoutes } from './http/static-routes.ts';
import { systemClock } from './system-clock.ts';
import { watchBaseFile } from './watch-base-file.ts';
import { repositoryRoot, serviceVersion } from './service-version.ts';

export type ControlPlaneOptions = {
  host: string;
  /** Port; 0 takes any free one. */
  port: number;
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  baseFile: BaseFile | null;
  /** Folder that is watched for changes of the base file; left out: none. */
  workingFolder?: string;
  logger: Logger;
  /** Redacts the log; learns each secret as it becomes known. */
  redactor?: Redactor;
  clock?: MonotonicClock;
  /** Makes the dashboard show that this is a demonstration. */
  demo?: boolean;
};

export type RunningControlPlane = {
  url: string;
  deps: Deps;
  /** The address to open in a browser on this machine, with a one-time code if it must sign in. */
  openingUrl(): Promise<string>;
  /** Stops accepting requests, finishes running work and closes the database. */
  stop(): Promise<void>;
};

/** Time for sending remaining errors when the service stops. */
const ERROR_FLUSH_MS = 1_500;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Composes the neutral core with Node's parts and serves it. */
export async function startControlPlane(
  options: ControlPlaneOptions,
): Promise<RunningControlPlane> {
  requireSafeAddress(options);
  // Throws for invalid settings before anything is opened.
  trustsLoopback(options.env);
  const identity = identityFromEnvironment(options.env);
  options.logger.info('the control plane starts', { version: serviceVersion });
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const clock = options.clock ?? systemClock;
  const server = databaseServer(options.env);
  const opened = await (server === null
    ? openDataFile(options, clock.nowMs())
    : openOnServer(options, server));
  await recordVersion(opened.db, clock.nowMs(), ownVersion());
  // Only now, so that a folder with a refused database stays unchanged.
  ensureLocalSecret(options.dataDir, (why) =>
    options.logger.warn('the local secret was replaced by a new one', { why }),
  );
  const sockets = new SocketRegistry();
  const inboxes = createRunnerInboxes(sockets, clock);
  const redactor = options.redactor ?? createRedactor();
  hideEnvironment(redactor, options.env);
  redactor.hide(readLocalSecret(options.dataDir));
  const errors = await createErrorTracker({
    dsn: errorTrackingDsn(options.env),
    release: `switchyard@${serviceVersion}`,
    redactor,
    complain: (message) => options.logger.warn(message),
    attemptCountOf: (issue) => attemptCountOf(opened.db, issue),
  });
  const logger = logToErrorTracker(options.logger, errors);
  const background = createBackgroundTasks(logger, errors);
  const config = redactConfigSecrets(
    createConfigStore({ ...options, readBaseFile, db: opened.db, variables: options.env, clock }),
    redactor,
  );
  await config.load();
  const masterKeys = await openSecrets({ ...options, db: opened.db, clock, logger });
  const parts = await composeDeps(
    { ...options, logger },
    {
      errors,
      redactor,
      masterKeys,
      db: opened.db,
      ...('writes' in opened ? { writes: opened.writes } : {}),
      clock,
      sockets: inboxes,
      inboxes,
      background,
      config,
    },
  );
  const { deps, localTracker } = parts;
  const lead = createLead(deps, logger, () => {
    sockets.closeAll(1012, 'another instance leads');
    inboxes.closeInboxes('another instance leads');
  });
  const coordinator = createCoordinator({ ...deps, lead });
  parts.onWake(() => coordinator.wake());
  // Before the first request, because an instance must know whether it leads.
  await lead();
  await acceptGivenJoinToken(deps, {
    token: options.env['SERVICE_JOIN_TOKEN'],
    caller: { ...SERVICE_CALLER, path: 'start' },
  });
  const access = await openAccess(deps, { ...options, identity });
  if (deps.service.role === 'active') {
    background.run('moving secrets to the present master key', async () => {
      await reencryptSecrets(deps, { ...SERVICE_CALLER, path: 'start' });
    });
  }
  const app = createApp(deps, {
    ...access,
    localTracker,
    platformRoutes: (routes) => {
      runnerSocketRoute(routes, deps, sockets);
      // A server's database is backed up by the server's own means.
      if (server === null) backupRoute(routes, deps, options.dataDir);
      staticRoutes(routes, join(repositoryRoot, 'dashboard', 'dist'));
    },
  });
  const http = await serveApp(app, {
    ...options,
    behindProxy: (access.policy.trustedHops ?? 0) > 0,
  });
  const url = addressOf(options.host, http.port);
  deps.service.publicOrigin ??= url;
  coordinator.wake();
  const watch = watchConfig(options, deps, config);
  return {
    url,
    deps,
    openingUrl: () => openingUrl(access, url),
    async stop() {
      watch?.stop();
      sockets.closeAll(1001, 'the control plane stops');
      inboxes.closeInboxes('the control plane stops');
      await http.close();
      parts.alarm.clear();
      await coordinator.stop();
      parts.alarm.clear();
      await releaseLeadership(deps);
      await background.settled();
      await errors.flush(ERROR_FLUSH_MS);
      opened.close();
    },
  };
}

/**
 * The address of this service on this machine; browsers cannot open the address that means "all".
 */
function addressOf(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Opens the database in the data folder, copied first when this version is about to migrate it. */
async function openDataFile(
  { dataDir, logger }: ControlPlaneOptions,
  nowMs: number,
): Promise<OpenDatabase> {
  const former = await backupBeforeMigrations({ dataDir, nowMs });
  const opened = await openDatabase(join(dataDir, DATABASE_FILE), migrationsFolder);
  if (former === null) return opened;
  const { state, copy } = former;
  const back = copy === null ? null : { copy, dataDir };
  const words = upgradeMessage(state, `the database in ${dataDir}`, back);
  if (words !== null) logger.info(words);
  return opened;
}

async function openOnServer(
  { logger }: ControlPlaneOptions,
  server: ServerAddress,
): Promise<OpenDatabase> {
  const opened = await openServerDatabase(server, migrationsFolder, undefined, {
    away: (why) => logger.error('the database stores nothing now', { error: why }),
    back: (awayMs) => logger.info('the database stores again', { awayMs }),
  });
  const words = upgradeMessage(opened.former, `the database at ${server.url}`, 'server');
  if (words !== null) logger.info(words);
  return opened;
}

function requireSafeAddress({ host, env }: ControlPlaneOptions): void {
  if (LOOPBACK.has(host) || (env['SERVICE_WRITE_TOKEN'] ?? '') !== '') return;
  throw new Error(
    `refusing to listen on ${host} without SERVICE_WRITE_TOKEN: anyone who reaches it could change things`,
  );
}

type Made = {
  db: Database;
  writes?: NonNullable<Deps['writes']>;
  clock: MonotonicClock;
  sockets: RunnerInboxes;
  inboxes: RunnerInboxes;
  background: Deps['background'];
  errors: Deps['errors'];
  redactor: Redactor;
  masterKeys: Deps['masterKeys'];
  config: ReturnType<typeof createConfigStore>;
};

async function composeDeps(options: ControlPlaneOptions, made: Made) {
  const { db, clock, sockets } = made;
  const ids = createIds(() => clock.nowMs());
  let wake: () => void = () => {};
  const alarm = createAlarm(clock, () => wake());
  const leases = readLeaseTimes(options.env);
  const service = newIdentity(
    { clock, leases },
    {
      version: serviceVersion,
      instanceId: randomUUID(),
      role: 'standby',
      dataDir: options.dataDir,
      audience: await serviceAudience(db, clock.nowMs()),
      publicOrigin: options.env['SERVICE_PUBLIC_ORIGIN'] ?? null,
      ...(options.demo === true ? { demo: true } : {}),
      ...(options.env['SWITCHYARD_CHECKOUT'] === undefined ? {} : { checkout: true }),
    },
  );
  const { deps, localTracker } = composeCore({
    ...made,
    ids,
    alarm,
    events: createEventSignal(),
    liveText: createLiveText(),
    calls: createRunnerCalls({ sockets, ids }),
    blobs: createRowBlobs(db, clock),
    logger: options.logger,
    metrics:
      options.env['SERVICE_METRICS_STORE'] === 'rows'
        ? createRowMetrics({ db, background: made.background, logger: options.logger })
        : createPromMetrics(),
    hashText,
    startHmac,
    service,
    leases,
    wake: () => wake(),
  });
  const onWake = (then: () => void) => {
    wake = then;
  };
  return { deps, alarm, localTracker, onWake };
}

/** Reloads the base file whenever it changes. */
function watchConfig(options: ControlPlaneOptions, deps: Deps, config: Made['config']) {
  if (options.workingFolder === undefined) return null;
  const isLeader = () => deps.service.role === 'active';
  return watchBaseFile(options.workingFolder, options.baseFile, (file) =>
    deps.background.run('reading the configuration file again', () =>
      reloadBaseFile({ ...deps, config, isLeader }, file),
    ),
  );
}
