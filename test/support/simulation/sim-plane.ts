import { SOCKET_DEAD_MS } from '@switchyard/shared/protocol/limits';
import { ControlPlaneMessage, type RunnerMessage } from '@switchyard/shared/protocol/messages';
import { createTestMasterKeys } from '../test-master-keys.ts';
import { createDeps } from '../../../control-plane/src/create-deps.ts';
import { localIntegration } from '../../../control-plane/src/integrations/local/local-integration.ts';
import { localTrackerSettings } from '../../../control-plane/src/integrations/local/local-tracker-settings.ts';
import { createRunnerConnections } from '../../../control-plane/src/runners/connections/create-runner-connections.ts';
import { createCoordinator } from '../../../control-plane/src/coordinator/coordinator.ts';
import { createRun } from '../../../control-plane/src/coordinator/create-run.ts';
import type { Deps } from '../../../control-plane/src/deps.ts';
import type { Logger, RunnerSockets } from '../../../control-plane/src/ports/ports.ts';
import { createRedactor } from '../../../control-plane/src/observe/redaction/create-redactor.ts';
import { createLead } from '../../../control-plane/src/platform/node/create-lead.ts';
import { hashText } from '../../../control-plane/src/platform/node/secrets/hash-text.ts';
import { startHmac } from '../../../control-plane/src/platform/node/secrets/start-hmac.ts';
import { createPromMetrics } from '../../../control-plane/src/platform/node/create-prom-metrics.ts';
import { recordDisconnect } from '../../../control-plane/src/runners/protocol/record-disconnect.ts';
import { createFrameHandler } from '../../../control-plane/src/runners/protocol/create-frame-handler.ts';
import { inOrder, openSession } from '../../../control-plane/src/runners/session/runner-session.ts';
import { createUploads, storeBlob } from '../../../control-plane/src/runners/blobs/store-blob.ts';
import type { LocalTrackerSettings } from '../../../control-plane/src/integrations/local/tracker/local-tracker-deps.ts';
import type { Tracker } from '../../../control-plane/src/ports/tracker/tracker.ts';
import type { PlaneWorld } from './plane-world.ts';
import { seededIds } from './seeded-ids.ts';
import { ProcessClock } from './sim-host.ts';
import { SimDatabase } from './sim-database.ts';
import type { SimSocket } from './sim-network.ts';
import { unreliableCodeHost, unreliableTracker, type VisibleEffect } from './unreliable-edge.ts';
import { noErrorTracker } from '../../../control-plane/src/admin/observability/create-error-tracker.ts';

/** One process of the control plane: the real core, with simulated sockets, time and database. */
export class SimPlane {
  readonly name: string;
  readonly world: PlaneWorld;
  readonly clock: ProcessClock;
  readonly startedAtMs: number;
  deps!: Deps;
  localTracker!: LocalTrackerSettings;
  /** The tracker itself, as its own tools reach it. */
  tracker!: Tracker;
  readonly #database: SimDatabase;
  readonly #sockets = new Map<string, SimSocket>();
  readonly #uploads = createUploads();
  #coordinator: { wake(): void } | null = null;
  #cancelAlarm: () => void = () => undefined;

  constructor(name: string, world: PlaneWorld) {
    this.name = name;
    this.world = world;
    this.clock = new ProcessClock(world.host);
    this.startedAtMs = world.host.time.nowMs;
    this.#database = new SimDatabase({
      ...world.database,
      path: world.path,
      host: world.host,
      random: world.random,
      committed: (statements) => world.committed(this, statements),
    });
  }

  get alive(): boolean {
    return this.clock.alive;
  }

  get leads(): boolean {
    return this.alive && this.#coordinator !== null && this.deps.service.role === 'active';
  }

  /** Whether it takes itself for the leader at this very moment. */
  get believesToLead(): boolean {
    if (!this.leads || this.world.host.suspended) return false;
    return this.clock.monotonicMs() < this.deps.service.lead.untilMs;
  }

  /** The file itself, past every fault. */
  get look() {
    return this.#database.look;
  }

  async start(): Promise<void> {
    await this.#compose();
    const lead = this.#lead();
    const coordinator = createCoordinator({ ...this.deps, lead, run: createRun(this.deps) });
    await lead().catch((error: unknown) => this.world.log(this, `lead failed: ${String(error)}`));
    this.#coordinator = coordinator;
    coordinator.wake();
  }

  /** As kill -9: timers, sockets and everything under way are gone, the file stays. */
  kill(): void {
    if (!this.alive) return;
    this.clock.kill();
    this.#cancelAlarm();
    this.#database.kill();
    for (const socket of this.#sockets.values()) socket.closeFromPlane(1006, 'gone');
    this.#sockets.clear();
  }

  #lead() {
    const lead = createLead(this.deps, () => {
      for (const socket of this.#sockets.values())
        socket.closeFromPlane(1012, 'another instance leads');
    });
    if (!this.world.everyoneLeads) return lead;
    return async () => {
      await lead();
      this.deps.service.role = 'active';
      return { leads: true, nextCheckAtMs: this.clock.nowMs() + 5_000 };
    };
  }

  async #compose(): Promise<void> {
    const { world, clock } = this;
    const { db } = this.#database;
    const ids = seededIds(world.random, () => clock.nowMs());
    const edge = {
      fails: world.trackerFails,
      ignoresMoves: world.trackerIgnoresMoves,
      effect: (effect: VisibleEffect) => world.effect(this, effect),
      moved: world.moved,
      look: this.look,
    };
    const { deps, config } = await createDeps({
      db,
      clock,
      ids,
      logger: this.#logger(),
      errors: noErrorTracker,
      background: {
        run: (name, task) =>
          void task().catch((error: unknown) =>
            world.log(this, `${name} failed: ${String(error)}`),
          ),
      },
      redactor: createRedactor(),
      variables: world.variables,
      masterKeys: createTestMasterKeys(),
      hashText,
      startHmac,
      identity: {
        version: '0.0.0-simulated',
        instanceId: `${this.name}-${Math.round(this.startedAtMs)}`,
        role: 'standby',
        dataDir: null,
        audience: world.audience,
        publicOrigin: 'http://127.0.0.1:4000',
        leaseTimes: world.leases,
      },
      connect: (parts) => {
        const { tracker, codeHost } = localIntegration.connect(parts);
        if (tracker === undefined || codeHost === undefined) throw new Error('nothing built in');
        this.tracker = tracker;
        return [
          {
            tracker: unreliableTracker(tracker, edge),
            codeHost: unreliableCodeHost(codeHost, edge),
          },
        ];
      },
      own: () => ({
        alarm: { set: (atMs) => this.#setAlarm(atMs) },
        connections: createRunnerConnections({
          sockets: this.#registry(),
          clock,
          ids,
          after: (delayMs, then) => clock.after(delayMs, then),
        }),
        metrics: createPromMetrics(),
        resolveSecret: (name, reader) => {
          world.keyRead(name, reader);
          return Promise.resolve(null);
        },
        wake: () => {
          if (this.alive) this.#coordinator?.wake();
        },
      }),
    });
    this.deps = deps;
    this.localTracker = localTrackerSettings(config, deps.service);
  }

  #setAlarm(atMs: number): void {
    this.#cancelAlarm();
    this.#cancelAlarm = this.clock.after(atMs - this.clock.nowMs(), () =>
      this.#coordinator?.wake(),
    );
  }

  #logger(): Logger {
    const say = (level: string) => (message: string, fields?: Record<string, unknown>) =>
      // Parameters name this very process, which no replay has again.
      this.world.log(
        this,
        `${level} ${message} ${JSON.stringify(fields ?? {}).replaceAll(/\\nparams: [^"]*/g, '')}`,
      );
    return { debug: () => undefined, info: say('info'), warn: say('warn'), error: say('error') };
  }

  #registry(): RunnerSockets {
    return {
      send: (runnerId, messages) => {
        const socket = this.#sockets.get(runnerId);
        if (!this.alive || socket === undefined || !socket.planeOpen) return false;
        if (messages.length > 0) this.#say(runnerId, socket, messages);
        return true;
      },
      close: (runnerId, code, reason) => this.#sockets.get(runnerId)?.closeFromPlane(code, reason),
      connected: async (runnerIds) => {
        const open = runnerIds.filter((id) => this.#sockets.get(id)?.planeOpen === true);
        return new Map(open.map((id) => [id, 0]));
      },
    };
  }

  #say(runnerId: string, socket: SimSocket, messages: ControlPlaneMessage[]): void {
    if (!this.alive) return;
    const text = JSON.stringify(messages);
    this.world.said(this, runnerId, ControlPlaneMessage.array().parse(JSON.parse(text)));
    socket.sendToRunner(text);
  }

  /** A runner's socket was opened; the route of the Node platform, without a server. */
  accept(runnerId: string, socket: SimSocket): void {
    const { deps, clock } = this;
    const handleFrame = createFrameHandler(deps);
    const session = openSession(runnerId);
    const older = this.#sockets.get(runnerId);
    this.#sockets.set(runnerId, socket);
    older?.closeFromPlane(4409, 'a newer connection has taken over');
    let cancelDead: () => void = () => undefined;
    const alive = () => {
      cancelDead();
      cancelDead = clock.after(SOCKET_DEAD_MS, () => socket.closeFromPlane(1006, 'silent'));
    };
    alive();
    socket.plane = {
      text: (data) => {
        if (!this.alive) return;
        alive();
        if (data === 'ping') return socket.sendToRunner('pong');
        this.world.heard(this, runnerId, JSON.parse(data) as RunnerMessage[]);
        deps.background.run('runner frame', async () => {
          const { replies, close } = await handleFrame(session, data);
          if (replies.length > 0 && socket.planeOpen) this.#say(runnerId, socket, replies);
          if (close !== undefined) socket.closeFromPlane(close.code, close.reason);
        });
      },
      closed: () => {
        cancelDead();
        if (this.#sockets.get(runnerId) === socket) this.#sockets.delete(runnerId);
        if (!this.alive) return;
        deps.background.run('runner disconnect', () =>
          inOrder(session, () => recordDisconnect(deps, session)),
        );
      },
    };
  }

  async storeBlob(input: {
    attemptId: string;
    epoch: number;
    name: string;
    token: string;
    body: string | Uint8Array;
  }): Promise<string> {
    const { attemptId, epoch, name, token } = input;
    const body = typeof input.body === 'string' ? input.body : new Uint8Array(input.body);
    const stored = await storeBlob(this.deps, {
      attemptId,
      epoch,
      name,
      authorization: `Bearer ${token}`,
      request: new Request('http://plane.test/', { method: 'PUT', body }),
      uploads: this.#uploads,
    });
    return stored.key;
  }
}
