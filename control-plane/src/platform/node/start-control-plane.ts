import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { WebSocketServer } from 'ws';
import { MAX_FRAME_BYTES } from '@switchyard/shared/protocol/limits';
import { createApp } from '../../app.ts';
import { createLocalCodeHost } from '../../codehosts/local/local-code-host.ts';
import type { BaseFile } from '../../config/base-file.ts';
import { defaultConfig, type EffectiveConfig } from '../../config/config-schema.ts';
import { createConfigStore } from '../../config/create-config-store.ts';
import { noSecrets } from '../../config/resolve-secret.ts';
import { createCoordinator } from '../../coordinator/coordinator.ts';
import type { Database } from '../../db/database.ts';
import type { Deps } from '../../deps.ts';
import type { HttpEnv } from '../../http/bindings.ts';
import { environmentTokens } from '../../http/tokens.ts';
import type { Clock, Logger } from '../../ports.ts';
import { createRunnerCalls } from '../../runners/runner-calls.ts';
import { releaseLeadership } from '../../leadership/hold-leadership.ts';
import { createSessions } from '../../http/sessions.ts';
import { createLocalTracker } from '../../trackers/local/local-tracker.ts';
import { createAlarm } from './create-alarm.ts';
import { createBackgroundTasks } from './background-tasks.ts';
import { createRowBlobs } from './create-blobs.ts';
import { createEventSignal } from './create-event-signal.ts';
import { createLead } from './create-lead.ts';
import { sessionSecret } from './session-secret.ts';
import { createIds } from './create-ids.ts';
import { openDatabase } from './open-database.ts';
import { readLeaseTimes } from './read-lease-times.ts';
import { runnerSocketRoute } from './runner-socket-route.ts';
import { SocketRegistry } from './runner-sockets.ts';
import { serviceAudience } from './service-audience.ts';
import { staticRoutes } from './static-routes.ts';
import { repositoryRoot, serviceVersion } from './package-facts.ts';

export type ControlPlaneOptions = {
  host: string;
  /** 0 takes any free port. */
  port: number;
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  baseFile: BaseFile | null;
  logger: Logger;
  clock?: Clock;
};

export type RunningControlPlane = {
  url: string;
  deps: Deps;
  /** Stops taking requests, finishes what is under way and closes the database. */
  stop(): Promise<void>;
};

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Composes the neutral core with Node's parts and serves it. */
export async function startControlPlane(
  options: ControlPlaneOptions,
): Promise<RunningControlPlane> {
  requireSafeAddress(options);
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const clock = options.clock ?? { nowMs: () => Date.now() };
  const opened = await openDatabase(
    join(options.dataDir, 'switchyard.db'),
    join(repositoryRoot, 'migrations'),
  );
  const sockets = new SocketRegistry();
  const background = createBackgroundTasks(options.logger);
  const config = rememberLatest(
    createConfigStore({ db: opened.db, variables: options.env, baseFile: options.baseFile }),
  );
  await config.load();
  const parts = await composeDeps(options, { db: opened.db, clock, sockets, background, config });
  const { deps, localTracker } = parts;
  const lead = createLead(deps, options.logger, () =>
    sockets.closeAll(1012, 'another instance leads'),
  );
  const coordinator = createCoordinator({ ...deps, lead });
  parts.onWake(() => coordinator.wake());
  // Before the first request: a successor must know whether it may decide.
  await lead();
  const given = {
    writeToken: options.env['SERVICE_WRITE_TOKEN'],
    readToken: options.env['SERVICE_READ_TOKEN'],
  };
  const sessions = createSessions(clock, sessionSecret(given));
  const app = createApp(deps, {
    sessions,
    policy: {
      tokens: environmentTokens(given),
      sessionPrincipal: (c) => sessions.principal(c),
      allowedHosts: list(options.env['SERVICE_ALLOWED_HOSTS']),
      limits: async () => (await config.load()).limits,
      trustedHops: Number(options.env['SERVICE_TRUST_PROXY'] ?? 0) || 0,
    },
    localTracker,
    platformRoutes: (routes) => {
      runnerSocketRoute(routes, deps, sockets);
      staticRoutes(routes, join(repositoryRoot, 'dashboard', 'dist'));
    },
  });
  const server = await listen(app, options);
  const url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${server.port}`;
  deps.service.publicOrigin ??= url;
  coordinator.wake();
  return {
    url,
    deps,
    async stop() {
      sockets.closeAll(1001, 'the control plane stops');
      await server.close();
      parts.alarm.clear();
      await coordinator.stop();
      parts.alarm.clear();
      await releaseLeadership(deps, deps.service.instanceId);
      await background.settled();
      opened.close();
    },
  };
}

function requireSafeAddress({ host, env }: ControlPlaneOptions): void {
  if (LOOPBACK.has(host) || (env['SERVICE_WRITE_TOKEN'] ?? '') !== '') return;
  throw new Error(
    `refusing to listen on ${host} without SERVICE_WRITE_TOKEN: anyone who reaches it could change things`,
  );
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The store, with the configuration as of the last load for those who cannot wait. */
function rememberLatest<Store extends { load(): Promise<EffectiveConfig> }>(store: Store) {
  let latest = defaultConfig();
  return {
    ...store,
    async load() {
      latest = await store.load();
      return latest;
    },
    latest: () => latest,
  };
}

type Made = {
  db: Database;
  clock: Clock;
  sockets: SocketRegistry;
  background: Deps['background'];
  config: ReturnType<typeof rememberLatest<ReturnType<typeof createConfigStore>>>;
};

async function composeDeps(options: ControlPlaneOptions, made: Made) {
  const { db, clock, config, sockets } = made;
  const ids = createIds(() => clock.nowMs());
  const events = createEventSignal();
  let wake: () => void = () => {};
  const alarm = createAlarm(clock, () => wake());
  const service: Deps['service'] = {
    version: serviceVersion,
    instanceId: randomUUID(),
    role: 'standby',
    startedAtMs: clock.nowMs(),
    leadsSinceMs: clock.nowMs(),
    dataDir: options.dataDir,
    audience: await serviceAudience(db, clock.nowMs()),
    publicOrigin: options.env['SERVICE_PUBLIC_ORIGIN'] ?? null,
  };
  const localTracker = {
    prefix: () => config.latest().tracker.local.prefix,
    roles: () => localRoles(config.latest()),
    issueUrl: (identifier: string) =>
      service.publicOrigin === null ? null : `${service.publicOrigin}/issues/${identifier}`,
  };
  const deps: Deps = {
    ...made,
    ids,
    alarm,
    events,
    calls: createRunnerCalls({ sockets, ids }),
    blobs: createRowBlobs(db, clock),
    logger: options.logger,
    resolveSecret: noSecrets,
    service,
    leases: readLeaseTimes(options.env),
    trackers: new Map([
      ['local', createLocalTracker({ db, clock, ids, events, settings: localTracker })],
    ]),
    codeHosts: [
      createLocalCodeHost({ db, clock, ids, events, publicOrigin: () => service.publicOrigin }),
    ],
    wake: () => wake(),
  };
  const onWake = (then: () => void) => {
    wake = then;
  };
  return { deps, alarm, localTracker, onWake };
}

/** The configured roles, where they speak of the built-in tracker. */
function localRoles({ tracker }: EffectiveConfig) {
  return tracker.kind === 'local'
    ? { ...tracker.states, active: tracker.activeStates, terminal: tracker.terminalStates }
    : {};
}

async function listen(app: OpenAPIHono<HttpEnv>, options: ControlPlaneOptions) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
  const server = createAdaptorServer({
    fetch: async (request, env) => {
      // The upgrade helper keeps its state in this very object, so it is extended, not copied.
      const bindings = Object.assign(env, {
        remoteAddress: env.incoming.socket.remoteAddress ?? null,
      });
      const response = await app.fetch(request, bindings);
      // The rest of such a body is never read, so the connection is no use to another request.
      if (response.status === 413) response.headers.set('Connection', 'close');
      return response;
    },
    websocket: { server: sockets },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
