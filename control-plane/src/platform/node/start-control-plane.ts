import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../app.ts';
import { createDeps } from '../../create-deps.ts';
import { trackErrors } from '../../admin/observability/track-errors.ts';
import { createRunnerConnections } from '../../runners/connections/create-runner-connections.ts';
import { type BaseFile, readBaseFile } from '../../config/base-file.ts';
import type { ReloadableConfigStore } from '../../config/create-config-store.ts';
import { reloadBaseFile } from '../../config/reload-base-file.ts';
import { createCoordinator } from '../../coordinator/coordinator.ts';
import { createRun } from '../../coordinator/create-run.ts';
import type { Deps } from '../../deps.ts';
import { identityFromEnvironment } from '../../http/access/current-identity.ts';
import { trustsLoopback } from '../../http/caller/trusts-loopback.ts';
import type { Logger, MonotonicClock } from '../../ports/ports.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import { reencryptSecrets } from '../../config/secrets/rotate-master-key.ts';
import { acceptGivenJoinToken } from '../../runners/admin/accept-given-join-token.ts';
import { releaseLeadership } from '../../jobs/leadership/create-leadership.ts';
import { createRowMetrics } from '../../observe/metrics/create-row-metrics.ts';
import { createRedactor, hideEnvironment } from '../../observe/redaction/create-redactor.ts';
import type { Redactor } from '../../ports/redactor.ts';
import { backupBeforeMigrations } from './backup/backup-before-migrations.ts';
import { recordVersion } from '../../db/record-version.ts';
import { migrationsFolder, ownVersion } from './backup/migration-state.ts';
import { DATABASE_FILE } from './backup/take-backup.ts';
import { backupRoute } from './backup/backup-route.ts';
import { upgradeMessage } from './backup/upgrade-message.ts';
import { createAlarm } from './create-alarm.ts';
import { createBackgroundTasks } from './background-tasks.ts';
import { createLiveText } from '../../observe/events/create-live-text.ts';
import { createLead } from './create-lead.ts';
import { createPromMetrics } from './create-prom-metrics.ts';
import { hashText } from './secrets/hash-text.ts';
import { startHmac } from './secrets/start-hmac.ts';
import { openAccess, openingUrl } from './secrets/open-access.ts';
import type { ServerAddress } from '../../db/server/create-server-fetch.ts';
import { type OpenDatabase, openDatabase } from './database/open-database.ts';
import { databaseServer, openServerDatabase } from './database/open-server-database.ts';
import { openSecrets } from './secrets/open-secrets.ts';
import { ensureLocalSecret, readLocalSecret } from './secrets/local-secret.ts';
import { createFrameHandler } from '../../runners/protocol/create-frame-handler.ts';
import { runnerSocketRoute } from './sockets/runner-socket-route.ts';
import { SocketRegistry } from './sockets/socket-registry.ts';
import { serveApp } from './http/serve-app.ts';
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
  const { env: variables, dataDir } = options;
  const redactor = options.redactor ?? createRedactor();
  hideEnvironment(redactor, variables);
  redactor.hide(readLocalSecret(dataDir));
  const { db } = opened;
  const tracked = { ...options, db, variables, version: serviceVersion, redactor };
  const { logger, errors } = await trackErrors(tracked);
  const background = createBackgroundTasks(logger, errors);
  const sockets = new SocketRegistry();
  let wake: () => void = () => {};
  const alarm = createAlarm(clock, () => wake());
  const { deps, config } = await createDeps({
    db,
    ...('writes' in opened ? { writes: opened.writes } : {}),
    clock,
    logger,
    errors,
    background,
    redactor,
    variables,
    baseFile: options.baseFile,
    readBaseFile,
    masterKeys: await openSecrets({ ...options, db, clock, logger }),
    hashText,
    startHmac,
    identity: {
      version: serviceVersion,
      instanceId: randomUUID(),
      role: 'standby',
      dataDir,
      ...(options.demo === true ? { demo: true } : {}),
      ...(variables['SWITCHYARD_CHECKOUT'] === undefined ? {} : { checkout: true }),
    },
    own: (made) => ({
      alarm,
      connections: createRunnerConnections({ ...made, sockets }),
      liveText: createLiveText(),
      metrics:
        variables['SERVICE_METRICS_STORE'] === 'rows'
          ? createRowMetrics(made)
          : createPromMetrics(),
      wake: () => wake(),
    }),
  });
  await config.load();
  const lead = createLead(deps, () => {
    sockets.closeAll(1012, 'another instance leads');
    deps.connections.closeInboxes('another instance leads');
  });
  const coordinator = createCoordinator({ ...deps, lead, run: createRun(deps) });
  wake = () => coordinator.wake();
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
    platformRoutes: (routes) => {
      runnerSocketRoute(routes, { ...deps, handleFrame: createFrameHandler(deps) }, sockets);
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
      deps.connections.closeInboxes('the control plane stops');
      await http.close();
      alarm.clear();
      await coordinator.stop();
      alarm.clear();
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
  const message = upgradeMessage(state, `the database in ${dataDir}`, back);
  if (message !== null) logger.info(message);
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
  const message = upgradeMessage(opened.former, `the database at ${server.url}`, 'server');
  if (message !== null) logger.info(message);
  return opened;
}

function requireSafeAddress({ host, env }: ControlPlaneOptions): void {
  if (LOOPBACK.has(host) || (env['SERVICE_WRITE_TOKEN'] ?? '') !== '') return;
  throw new Error(
    `refusing to listen on ${host} without SERVICE_WRITE_TOKEN: anyone who reaches it could change things`,
  );
}

/** Reloads the base file whenever it changes. */
function watchConfig(
  options: ControlPlaneOptions,
  deps: Pick<Deps, 'db' | 'clock' | 'background' | 'logger' | 'service' | 'wake'>,
  config: ReloadableConfigStore,
) {
  if (options.workingFolder === undefined) return null;
  const isLeader = () => deps.service.role === 'active';
  return watchBaseFile(options.workingFolder, options.baseFile, (file) =>
    deps.background.run('reading the configuration file again', () =>
      reloadBaseFile({ ...deps, config, isLeader }, file),
    ),
  );
}
