import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { createKeyedLock } from '@switchyard/shared/keyed-lock';
import { askTool } from '../../connection/ask-tool.ts';
import { CallTable } from '../../connection/calls.ts';
import type { Clock } from '../../connection/clock.ts';
import { FakeClock, settle } from '../../connection/testing/fake-clock.ts';
import { askPushPermit } from '../../connection/ask-push-permit.ts';
import { Journal } from '../../connection/journal/journal.ts';
import { Lease } from '../../connection/lease.ts';
import { LeaseAsker } from '../../connection/lease-asker.ts';
import { ControlSession } from '../../connection/control-session.ts';
import { ControlSocket } from '../../connection/socket/control-socket.ts';
import { LiveSocket } from '../../connection/socket/live-socket.ts';
import { Spool } from '../../connection/journal/spool.ts';
import { testSpec } from '../../connection/testing/attempt-spec.ts';
import { FakeControlPlane } from '../../connection/testing/fake-control-plane.ts';
import { INTRODUCTION } from '../../connection/testing/introduction.ts';
import { MemorySocket } from '../../connection/testing/memory-socket.ts';
import type { ContainerEngine } from '../../container/container-engine.ts';
import type { ModelReport } from '../../egress/model/model-report.ts';
import { hostDisk } from '../../workspace/disk/host-disk.ts';
import { type WorkspacePort, createWorkspacePort } from '../../workspace/workspace-port.ts';
import { makeWorkspaceFixture } from '../../workspace/testing/workspace-fixture.ts';
import type { WorkspaceFixture } from '../../workspace/testing/workspace-fixture.ts';
import type { AttemptDeps, AttemptSettings, ModelProxy, Uplink } from '../attempt-deps.ts';
import { AttemptHost } from '../attempt-host.ts';
import { AttemptStarter } from '../attempt-starter.ts';
import { createContextOf } from '../create-context-of.ts';
import { HostCapacity } from '../offers/host-capacity.ts';
import { LeaseReaper } from '../session/lease-reaper.ts';
import { ToolService } from '../tools/tool-service.ts';
import { DiskWatch } from '../watch/disk-watch.ts';
import { LoadGauge } from '../watch/load-gauge.ts';
import { FakeContainers } from './fake-containers.ts';
import { FakeAgentEngine } from './fake-engine.ts';
import { Life } from './life.ts';

const REAL_LIMIT_MS = 60_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What stays when a runner process is killed: disk, containers, control plane, clock. */
export type HostWorld = {
  fixture: WorkspaceFixture;
  clock: FakeClock;
  plane: FakeControlPlane;
  containers: FakeContainers;
  engine: FakeAgentEngine;
  blobs: Map<string, string | Uint8Array>;
  /** What happens while a blob is on its way. */
  whileUploading: (name: string) => Promise<void>;
  grants: { attemptId: string; apiKey: string | null }[];
  adopted: { attemptId: string; apiKey: string | null; tokenHash: string }[];
  revoked: string[];
  /** What the model proxy tells of the attempt; undefined: nobody counts. */
  model: ModelReport | undefined;
};

export async function makeWorld(): Promise<HostWorld> {
  return {
    fixture: await makeWorkspaceFixture(),
    clock: new FakeClock(),
    plane: new FakeControlPlane(),
    containers: new FakeContainers(),
    engine: new FakeAgentEngine(),
    blobs: new Map(),
    whileUploading: () => Promise.resolve(),
    grants: [],
    adopted: [],
    revoked: [],
    model: undefined,
  };
}

/** A runner process in a world, with everything of ours real but the engine and its container. */
export async function startHost(
  world: HostWorld,
  {
    maxSpoolBytes,
    formerRunnerIds = [],
    ...change
  }: Pick<AttemptSettings, 'maxWorkInProgressBytes'> & {
    formerRunnerIds?: string[];
    maxSpoolBytes?: number;
  } = {},
) {
  const { fixture, plane } = world;
  const life = new Life();
  const clock = clockOf(world.clock, life);
  const containers = containersOf(world.containers, life);
  const engine = engineOf(world.engine, life);
  const dataDir = join(fixture.folder, 'data');
  await mkdir(dataDir, { recursive: true });
  const journal = new Journal(join(dataDir, 'journal.db'));
  const spool = new Spool(join(dataDir, 'spool.db'), maxSpoolBytes);
  const wire = new MemorySocket(plane);
  const lease = new Lease(clock, () => host.leaseExpired());
  const calls = new CallTable(clock, async () => null);
  const tools = new ToolService({ dataDir, clock });
  const runnerId = 'run_1';
  const settings = { ...change, runnerId, bootId: 'boot', dataDir, image: 'image' };
  const deps: AttemptDeps = {
    settings,
    workspaces: workspacesOf(fixture, life),
    disk: life.bound(hostDisk),
    containers,
    journal,
    spool,
    clock,
    log: silent,
    proxy: life.bound(fakeProxy(world)),
    tools,
    engines: { find: (name = 'codex') => (name === 'codex' ? engine : null) },
    containerRuns: (container) => gauge.follow(container),
    uplink: life.bound<Uplink>({
      delta: (ref, item) => session.delta(ref, item),
      ended: () => session.wake(),
      released: (ref, given) => session.released(ref, given),
      permitPush: (ref, params, signal) => askPushPermit({ calls, clock }, ref, params, signal),
      callTool: (ref, call) => askTool(calls, ref, call),
      putBlob: async (ref, token, { name, body, signal }) => {
        await world.whileUploading(name);
        signal.throwIfAborted();
        if (token() !== plane.attemptToken) throw new Error('401 the attempt token is not valid');
        world.blobs.set(`${ref.attemptId}/${ref.epoch}/${name}`, body);
        return `${ref.attemptId}/${ref.epoch}/${name}`;
      },
      getBlob: async (_ref, token, { key }) => {
        const blob = world.blobs.get(key);
        if (token() !== plane.attemptToken || blob === undefined) throw new Error(`404 ${key}`);
        return Buffer.from(blob);
      },
    }),
  };
  const contextOf = createContextOf(deps);
  const unseal = async (sealed: string) => JSON.parse(sealed) as { providerApiKey: string };
  const gauge = new LoadGauge(deps, () => session.askForLease());
  const reaper = new LeaseReaper({ ...deps, contextOf }, { runnerId, formerRunnerIds });
  const capacity = new HostCapacity({ ...deps, disk: new DiskWatch(dataDir, deps), gauge }, 2);
  const starter = new AttemptStarter({ ...deps, contextOf, lease, unseal });
  const host = new AttemptHost({ ...deps, reaper, capacity, starter }, settings);
  await host.boot();
  const session: ControlSession = new ControlSession({
    owner: {
      introduction: () => INTRODUCTION,
      welcomed: () => undefined,
      revoked: () => undefined,
    },
    attempts: host,
    leases: new LeaseAsker({
      attempts: host,
      lease,
      clock,
      random: () => 0.5,
      renewed: (remainingMs) => journal.saveLeaseEnd(clock.nowMs() + remainingMs),
    }),
    calls,
    openSocket: (channel) => new LiveSocket(channel, { attempts: host, clock, spool }),
    log: silent,
  });
  const socket = new ControlSocket({
    dial: wire.dial,
    clock,
    log: silent,
    random: () => 0.5,
    owner: session,
  });
  const stopping = new AbortController();
  const running = socket.run(stopping.signal);
  await world.clock.advance(1);
  /** As kill -9: nothing is told to anybody, files are closed as the system would. */
  const kill = async () => {
    life.end();
    spool.close();
    journal.close();
    stopping.abort();
    await settle();
    await running;
    lease.stop();
    await tools.close();
    await life.commandsEnded();
  };
  return { host, wire, journal, spool, lease, session, kill };
}

function clockOf(clock: FakeClock, { signal }: Life): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, () => signal.aborted || run()),
  };
}

/** Commands in a workspace end with their process, as the next one would end them at its start. */
function containersOf(all: FakeContainers, life: Life): ContainerEngine {
  const containers = Object.create(all) as FakeContainers;
  containers.start = async (spec) => life.bound(await all.start(spec));
  containers.list = async (runnerId) =>
    (await all.list(runnerId)).map((container) => life.bound(container));
  containers.run = (spec) => {
    const signals = spec.signal === undefined ? [life.signal] : [life.signal, spec.signal];
    return life.command(() => all.run({ ...spec, signal: AbortSignal.any(signals) }));
  };
  return life.bound(containers);
}

function engineOf(engine: FakeAgentEngine, life: Life): FakeAgentEngine {
  const own = Object.create(engine) as FakeAgentEngine;
  own.open = async (options) => life.bound(await engine.open(options));
  return life.bound(own);
}

/** Git of the host outlives its process; locks are in the memory of each. */
function workspacesOf({ workspaces }: WorkspaceFixture, life: Life): WorkspacePort {
  const { git, lfs } = workspaces;
  return createWorkspacePort({
    ...workspaces,
    lock: createKeyedLock(),
    lfs: life.bound(lfs),
    git: {
      ...git,
      run: (command) => life.command(() => git.run(command)),
      readBytes: (command) => life.command(() => git.readBytes(command)),
    },
  });
}

function fakeProxy(world: HostWorld): ModelProxy {
  return {
    grant: async ({ ref, apiKey }) => {
      world.grants.push({ attemptId: ref.attemptId, apiKey });
      return {
        token: 'proxy-token',
        tokenHash: 'hash',
        access: { socketFolder: '/nowhere', hostPort: 9 },
        baseUrl: 'http://127.0.0.1:9/v1',
      };
    },
    granted: async ({ tokenHash }) =>
      tokenHash === 'hash'
        ? {
            token: 'proxy-token',
            access: { socketFolder: '/nowhere', hostPort: 9 },
            baseUrl: 'http://127.0.0.1:9/v1',
          }
        : null,
    revoke: async (ref) => void world.revoked.push(ref.attemptId),
    adopt: async ({ ref, apiKey, tokenHash }) =>
      void world.adopted.push({ attemptId: ref.attemptId, apiKey, tokenHash }),
    get modelReport() {
      return world.model === undefined ? undefined : async () => world.model ?? null;
    },
  };
}

export function offerTo(world: HostWorld, change: Partial<AttemptSpec> = {}, epoch = 1): void {
  const spec = testSpec({ repository: { url: world.fixture.source.url }, ...change });
  world.plane.say({ type: 'offer', attemptId: spec.attemptId, epoch, expiresInMs: 15_000, spec });
}

/** Lets fake time and real git go on until `found` gives something; throws after 60 real seconds. */
export async function waitFor<T>(
  world: HostWorld,
  what: string,
  found: () => T | null | undefined | false,
): Promise<T> {
  const endMs = Date.now() + REAL_LIMIT_MS;
  for (;;) {
    const value = found();
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > endMs) throw new Error(`waited in vain for ${what}`);
    await world.clock.advance(20);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
