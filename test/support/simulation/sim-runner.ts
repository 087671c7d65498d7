import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS_FEATURE, MERGE_FEATURE } from '@switchyard/shared/protocol/features';
import { PROTOCOL_MAX, PROTOCOL_MIN } from '@switchyard/shared/protocol/limits';
import { Calls } from '@switchyard/shared/protocol/calls';
import { AttemptHost } from '../../../runner/src/attempt/attempt-host.ts';
import { createContextOf } from '../../../runner/src/attempt/create-context-of.ts';
import { HostCapacity } from '../../../runner/src/attempt/offers/host-capacity.ts';
import { LeaseReaper } from '../../../runner/src/attempt/session/lease-reaper.ts';
import { DiskWatch } from '../../../runner/src/attempt/watch/disk-watch.ts';
import { LoadGauge } from '../../../runner/src/attempt/watch/load-gauge.ts';
import type { AttemptDeps, Uplink } from '../../../runner/src/attempt/attempt-deps.ts';
import { publishBranch } from '../../../runner/src/calls/publish-branch.ts';
import type { Channel, ChannelEvents } from '../../../runner/src/connection/socket/channel.ts';
import { askTool } from '../../../runner/src/connection/ask-tool.ts';
import { CallTable } from '../../../runner/src/connection/calls.ts';
import { askPushPermit } from '../../../runner/src/connection/ask-push-permit.ts';
import { Lease } from '../../../runner/src/connection/lease.ts';
import { LeaseAsker } from '../../../runner/src/connection/lease-asker.ts';
import type { Log } from '../../../runner/src/log.ts';
import { ControlSession } from '../../../runner/src/connection/control-session.ts';
import { ControlSocket } from '../../../runner/src/connection/socket/control-socket.ts';
import { LiveSocket } from '../../../runner/src/connection/socket/live-socket.ts';
import { Spool } from '../../../runner/src/connection/journal/spool.ts';
import { USUAL_ENGINE } from './chain.ts';
import { MergeJournal, MergeStarter, type MergeWorld } from './merge-starter.ts';
import type { Random } from './random.ts';
import type { AgentWorld } from './sim-agent.ts';
import { type SimChecks, withoutChecks } from './sim-checks.ts';
import { simDisk } from './sim-disk.ts';
import { type DockerWorld, SimContainerEngine, SimDocker } from './sim-docker.ts';
import { SimAgentEngine } from './sim-engine.ts';
import type { RemoteTrouble, SimGit, SimRemote } from './sim-git.ts';
import { ProcessClock, type SimHost } from './sim-host.ts';
import type { Partition } from './sim-network.ts';
import { SimProxies } from './sim-proxies.ts';
import { createSimWorkspaces } from './sim-workspaces.ts';
import { copyDisk, tearDisk } from './torn-disk.ts';

export type RunnerWorld = {
  random: Random;
  folder: string;
  docker: DockerWorld;
  agents: AgentWorld;
  checks: SimChecks;
  merges: MergeWorld;
  remote: SimRemote;
  commits: { count: number };
  remoteTrouble: () => RemoteTrouble | null;
  blindReaper: boolean;
  dial(runner: SimRunner, clock: ProcessClock, events: ChannelEvents): Promise<Channel>;
  storeBlob(
    runner: SimRunner,
    clock: ProcessClock,
    input: {
      attemptId: string;
      epoch: number;
      name: string;
      token: string;
      body: string | Uint8Array;
    },
  ): Promise<string>;
  log(runner: SimRunner, line: string): void;
};

/** What a service manager waits for before it kills. */
const STOP_MS = 10_000;

type Process = {
  clock: ProcessClock;
  stopping: AbortController;
  lease: Lease;
  journal: MergeJournal;
  spool: Spool;
  host: AttemptHost;
};

type Identity = 'runnerId' | 'slots' | 'engines' | 'runsChecks' | 'merges';

/** One runner: a host with its disk and its containers, and at most one process that serves it. */
export class SimRunner {
  readonly runnerId: string;
  readonly host: SimHost;
  readonly docker: SimDocker;
  readonly slots: number;
  /** Null: it does not tell, and has the usual one. */
  readonly engines: readonly string[] | null;
  /** A former version runs no declared checks. */
  readonly runsChecks: boolean;
  /** A former version tests no merges. */
  readonly merges: boolean;
  readonly cut: Partition = { toPlane: false, toRunner: false };
  readonly #world: RunnerWorld;
  readonly #dataDir: string;
  /** Of its mirror: like the rest of the disk it outlives a process. */
  readonly #mirrored = new Set<string>();
  #process: Process | null = null;
  #starts = 0;

  constructor(
    world: RunnerWorld,
    options: Pick<SimRunner, Identity | 'host'> & { docker?: SimDocker },
  ) {
    this.#world = world;
    this.runnerId = options.runnerId;
    this.host = options.host;
    this.slots = options.slots;
    this.engines = options.engines;
    this.merges = options.merges;
    this.runsChecks = options.runsChecks || options.merges;
    this.docker = options.docker ?? new SimDocker(options.host, world.docker);
    this.#dataDir = join(world.folder, options.host.name);
    mkdirSync(this.#dataDir, { recursive: true });
  }

  /** Another host with a copy of this disk as it is now, and so with its identity; nothing runs there. */
  copyTo(host: SimHost): SimRunner {
    const copy = new SimRunner(this.#world, { ...this.#identity(), host });
    copyDisk(this.#dataDir, copy.#dataDir);
    return copy;
  }

  #identity(): Pick<SimRunner, Identity> {
    const { runnerId, slots, engines, runsChecks, merges } = this;
    return { runnerId, slots, engines, runsChecks, merges };
  }

  get running(): boolean {
    return this.#process !== null;
  }

  /** Starts the runner's process, as its service manager does. */
  async start(): Promise<void> {
    if (this.#process !== null) return;
    this.#starts += 1;
    const clock = new ProcessClock(this.host);
    const { checks } = this.#world;
    const journal = new MergeJournal(join(this.#dataDir, 'journal.db'), (id) => checks.isLying(id));
    const spool = new Spool(join(this.#dataDir, 'spool.db'));
    const parts = this.#assemble(clock, journal, spool);
    this.#process = { clock, journal, spool, ...parts };
    await parts.host.boot();
    const endMs = journal.leaseEnd();
    const held = journal.list().some((entry) => entry.finish === null);
    if (held && endMs !== null && endMs > clock.nowMs()) parts.lease.restore(endMs - clock.nowMs());
    parts.socket.run(parts.stopping.signal).catch((error: unknown) => {
      this.#world.log(this, `socket ended: ${String(error)}`);
    });
  }

  /** As kill -9. Containers go on; what was committed to disk stays. */
  kill(): void {
    const process = this.#process;
    if (process === null) return;
    this.#process = null;
    process.clock.kill();
    process.stopping.abort();
    process.lease.stop();
    process.spool.close();
    process.journal.close();
  }

  /** A power cut: containers end, and what the disk had not been made to keep may be torn. */
  powerOff(): void {
    const torn = this.#process === null ? null : tearDisk(this.#dataDir, this.#world.random);
    this.kill();
    torn?.putBack();
    this.docker.powerOff();
    this.host.bootId = `boot-${this.#starts + 1}`;
  }

  /** As SIGTERM: it gives back what it runs, and is gone a few seconds later. */
  stop(): void {
    const process = this.#process;
    if (process === null) return;
    process.host.releaseAll('the runner was stopped');
    process.clock.after(STOP_MS, () => {
      if (this.#process === process) this.kill();
    });
  }

  drain(): void {
    this.#process?.host.drain(900_000);
  }

  /** Whether its process lists this lease now. */
  holds(attemptId: string, epoch: number): boolean {
    const items = this.#process?.host.held() ?? [];
    return items.some((item) => item.attemptId === attemptId && item.epoch === epoch);
  }

  held(): number {
    return this.#process?.host.held().length ?? 0;
  }

  #log(): Log {
    const say = (level: string) => (message: string, fields?: Record<string, unknown>) =>
      this.#world.log(this, `${level} ${message} ${JSON.stringify(fields ?? {})}`);
    return { info: say('info'), warn: say('warn'), error: say('error') };
  }

  #assemble(clock: ProcessClock, journal: MergeJournal, spool: Spool) {
    const world = this.#world;
    const { runnerId, host: machine } = this;
    const random = () => world.random.next();
    const log = this.#log();
    const stopping = new AbortController();
    const lease = new Lease(clock, () => host.leaseExpired());
    const git: SimGit = {
      clock,
      worldMs: () => machine.time.nowMs,
      remote: world.remote,
      random: world.random,
      commits: world.commits,
      mirrored: this.#mirrored,
      trouble: world.remoteTrouble,
    };
    const workspaces = createSimWorkspaces(git);
    const calls = new CallTable(clock, async (method, params) =>
      method === 'branch.publish'
        ? await publishBranch(workspaces, Calls['branch.publish'].params.parse(params))
        : world.merges.isOn && method === 'workspace.remove'
          ? { removed: true }
          : null,
    );
    const proxy = new SimProxies(this.docker);
    const uplink: Uplink = {
      delta: (ref, item) => session.delta(ref, item),
      ended: () => session.wake(),
      released: (ref, why) => session.released(ref, why),
      permitPush: (ref, params, signal) => askPushPermit({ calls, clock }, ref, params, signal),
      callTool: (ref, call) => askTool(calls, ref, call),
      putBlob: (ref, token, { name, body }) =>
        world.storeBlob(this, clock, {
          attemptId: ref.attemptId,
          epoch: ref.epoch,
          name,
          token: token(),
          body,
        }),
      getBlob: async () => new Uint8Array(0),
    };
    const engines = (this.engines ?? [USUAL_ENGINE]).map(
      (name) => new SimAgentEngine(name, world.agents, clock),
    );
    const { bootId } = machine;
    const settings = { runnerId, bootId, dataDir: this.#dataDir, image: 'image' };
    const deps: AttemptDeps = {
      settings,
      containers: new SimContainerEngine(this.docker, clock, { blind: world.blindReaper }),
      disk: simDisk,
      workspaces,
      journal,
      spool,
      clock,
      log,
      proxy,
      uplink,
      engines: {
        find: (name = USUAL_ENGINE) => engines.find((one) => one.name === name) ?? null,
      },
      containerRuns: (container) => gauge.follow(container),
    };
    const contextOf = createContextOf(deps);
    const gauge = new LoadGauge(deps, () => undefined);
    const disk = new DiskWatch(this.#dataDir, deps);
    const reaper = new LeaseReaper({ ...deps, contextOf }, { runnerId, formerRunnerIds: [] });
    const capacity = new HostCapacity({ ...deps, disk, gauge }, this.slots);
    const started = { ...deps, journal, contextOf, lease, unseal: async () => ({}) };
    const starter = new MergeStarter(started, git, world.merges);
    const host = new AttemptHost({ ...deps, reaper, capacity, starter }, settings);
    const leases = new LeaseAsker({
      attempts: host,
      lease,
      clock,
      random,
      renewed: (remainingMs) => {
        journal.saveLeaseEnd(clock.nowMs() + remainingMs);
        proxy.leaseRenewed(remainingMs);
      },
    });
    const session: ControlSession = new ControlSession({
      owner: {
        introduction: () => ({
          protocol: { min: PROTOCOL_MIN, max: PROTOCOL_MAX },
          runnerId,
          bootId,
          ...(machine.showsId ? { machineId: machine.name } : {}),
          instanceId: `${machine.name}-${this.#starts}`,
          version: '0.0.0-simulated',
          features: [
            ...(this.runsChecks ? [CHECKS_FEATURE] : []),
            ...(this.merges ? [MERGE_FEATURE] : []),
          ],
          ...(this.engines === null ? {} : { engines: engines.map(asTold) }),
          labels: [],
          isolation: 'docker',
          warnings: [],
        }),
        welcomed: () => undefined,
        revoked: () => undefined,
      },
      attempts: host,
      leases,
      calls,
      openSocket: (channel) => new LiveSocket(channel, { attempts: host, clock, spool }),
      log,
    });
    const dial = (events: ChannelEvents) =>
      world.dial(this, clock, {
        ...events,
        text: (data) => events.text(this.runsChecks ? data : withoutChecks(data)),
      });
    const socket = new ControlSocket({ dial, clock, random, log, owner: session });
    return { host, session, socket, lease, stopping };
  }
}

function asTold({ name, capabilities }: SimAgentEngine) {
  return { name, version: '0.0.0-simulated', capabilities };
}
