import { productVersion } from '@switchyard/shared/product-version';
import { randomUUID } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CHECKS_FEATURE,
  ENGINE_TEST_FEATURE,
  MERGE_FEATURE,
  REVIEW_FEATURE,
} from '@switchyard/shared/protocol/features';
import { PROTOCOL_MAX, PROTOCOL_MIN } from '@switchyard/shared/protocol/limits';
import { AttemptHost } from './attempt/attempt-host.ts';
import type { AttemptDeps, Uplink } from './attempt/attempt-deps.ts';
import { AttemptStarter } from './attempt/attempt-starter.ts';
import { createContextOf } from './attempt/create-context-of.ts';
import { HostCapacity } from './attempt/offers/host-capacity.ts';
import { LeaseReaper } from './attempt/session/lease-reaper.ts';
import { DiskWatch } from './attempt/watch/disk-watch.ts';
import { LoadGauge } from './attempt/watch/load-gauge.ts';
import { ToolService } from './attempt/tools/tool-service.ts';
import { AttemptProxies } from './attempt/session/attempt-proxies.ts';
import { machineId, hostBootId } from './machine-id.ts';
import { createAnswerCall } from './calls/answer-call.ts';
import type { ChosenSandbox, SandboxFacts } from './sandbox/chosen-sandbox.ts';
import { containerIdentity } from './container/docker/container-identity.ts';
import type { RunOptions } from './run-options.ts';
import { askTool } from './connection/ask-tool.ts';
import { CallTable } from './connection/calls.ts';
import { type Clock, systemClock } from './connection/clock.ts';
import { askPushPermit } from './connection/ask-push-permit.ts';
import { getBlob, putBlob } from './connection/socket/put-blob.ts';
import { fallbackDial } from './connection/socket/fallback-dial.ts';
import { Journal } from './connection/journal/journal.ts';
import { usedWorkspaceKey } from './workspace/branches/keep-merge.ts';
import { createGitCredentials } from './workspace/git/host/git-credentials.ts';
import { Lease } from './connection/lease.ts';
import { LeaseAsker } from './connection/lease-asker.ts';
import { leaveRunner } from './leave-runner.ts';
import type { Log } from './log.ts';
import { ControlSession } from './connection/control-session.ts';
import type { Introduction } from './connection/session-deps.ts';
import { ControlSocket } from './connection/socket/control-socket.ts';
import { LiveSocket } from './connection/socket/live-socket.ts';
import { chooseTransport } from './connection/proxy/choose-transport.ts';
import { Spool } from './connection/journal/spool.ts';
import { syncDial } from './connection/socket/sync-dial.ts';
import { websocketDial } from './connection/socket/websocket.ts';
import { engineFinder, type Engines, enginesWith } from './engine/engines.ts';
import { LiveSessions } from './engine/live-sessions.ts';
import { type RunnerIdentity, attemptSecret } from './identity.ts';
import { mintAccessToken, unsealJson, unsealSecrets } from './mint-access-token.ts';
import { EngineLauncher } from './operator/engine-launcher.ts';
import { Operator } from './operator/operator.ts';
import { SetupCaches, cachesFolder } from './workspace/setup-caches.ts';
import { openWorkspaces } from './workspace/open-workspaces.ts';
import { hostDisk } from './workspace/disk/host-disk.ts';
import { UsageKeeper } from './workspace/disk/usage-keeper.ts';
import { MirrorMaintenance } from './maintenance/mirror-maintenance.ts';
import { createWorkspacePort } from './workspace/workspace-port.ts';
import { messageOf } from '@switchyard/shared/message-of';

const FORMER_POLL_MS = 1_000;

export type RunnerDeps = {
  identity: RunnerIdentity;
  options: RunOptions;
  sandbox: ChosenSandbox;
  log: Log;
  /** Called once, with the first welcome. */
  ready(): void;
};

/** Why a runner has to end. */
export type RunnerSignals = {
  stop: AbortSignal;
  /**
   * Set when a control plane started this runner, stops it, and starts another one after a restart:
   * aborts when that process has ended. Null: started by itself.
   */
  orphaned: AbortSignal | null;
  /** Aborts when another process has taken over the data folder, and with it the attempts. */
  lost: AbortSignal;
};

/** Why the runner ended: stopped, or revoked by its control plane. */
export type RunnerEnd = 'stopped' | 'revoked';

/**
 * Serves one control plane until `stop` aborts or it revokes this runner. The caller holds the lock
 * on the data folder.
 */
export async function runRunner(
  deps: RunnerDeps,
  { stop, orphaned, lost }: RunnerSignals,
): Promise<RunnerEnd> {
  const { options, log } = deps;
  const clock = systemClock();
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const journal = new Journal(join(dataDir, 'journal.db'));
  const spool = new Spool(join(dataDir, 'spool.db'));
  const ended = new AbortController();
  let revoked = false;
  try {
    const parts = await assemble(deps, { dataDir, clock, journal, spool }, () => {
      revoked = true;
      ended.abort();
    });
    const running = Promise.all([parts.socket.run(ended.signal), parts.mirrors.run(ended.signal)]);
    // Not awaited: a hanging daemon must not delay the end.
    void deps.sandbox.follow(clock, ended.signal);
    if (orphaned !== null) leaveWhenOrphaned(parts, orphaned, { clock, log, ended });
    await Promise.race([aborted(stop), aborted(ended.signal)]);
    log.info('stopping', { attempts: parts.host.held().length, revoked });
    const suppliesEnd = Promise.all([
      deps.sandbox.imageSupply.close(),
      deps.sandbox.engineSupply.close(),
    ]);
    const endAttempts = (options.stopAttemptsOnExit && !lost.aborted) || revoked;
    await leaveRunner(parts, { clock, log, endAttempts });
    ended.abort();
    await running;
    await suppliesEnd;
    parts.lease.stop();
    await parts.tools.close();
  } finally {
    // Closed first, so that attempts which lose their containers now do not count as ended.
    spool.close();
    journal.close();
    await deps.sandbox.containers.close();
  }
  return revoked ? 'revoked' : 'stopped';
}

/**
 * After a crash of its control plane: accepts nothing new, and exits once its attempts have ended.
 */
function leaveWhenOrphaned(
  { host, session }: Pick<Parts, 'host' | 'session'>,
  orphaned: AbortSignal,
  context: { clock: Clock; log: Log; ended: AbortController },
): void {
  const { clock, log, ended } = context;
  const leaveWhenIdle = () => {
    if (ended.signal.aborted) return;
    // An unconfirmed finish stays in the journal for the next process.
    if (host.isIdle()) return ended.abort();
    clock.after(FORMER_POLL_MS, leaveWhenIdle);
  };
  const notice = () => {
    log.warn('the control plane that started this runner is gone', {
      attempts: host.held().length,
    });
    host.drain(Number.MAX_SAFE_INTEGER);
    session.drain(Number.MAX_SAFE_INTEGER);
    leaveWhenIdle();
  };
  if (orphaned.aborted) notice();
  else orphaned.addEventListener('abort', notice, { once: true });
}

type Stores = { dataDir: string; clock: Clock; journal: Journal; spool: Spool };
type Parts = {
  host: AttemptHost;
  session: ControlSession;
  socket: ControlSocket;
  lease: Lease;
  proxies: AttemptProxies;
  operator: Operator;
  tools: ToolService;
  mirrors: MirrorMaintenance;
};

async function assemble(deps: RunnerDeps, stores: Stores, onRevoked: () => void): Promise<Parts> {
  const { identity, options, sandbox, log } = deps;
  const { dataDir, clock, journal, spool } = stores;
  const { containers, image } = sandbox;
  const workspaces = await openWorkspaces({
    rootPath: join(dataDir, 'work'),
    dataPath: dataDir,
    allowFolders: options.allowFolders ?? [],
    ...(options.startCommand === undefined ? {} : { startCommand: options.startCommand }),
    workIdentity: containers.workIdentity,
    privateHosts: options.allowPrivateHosts ?? [],
    remoteCredential: (remoteUrl) => gitCredentials(remoteUrl),
  });
  const proxies = new AttemptProxies({
    dataDir,
    containers,
    tokenSecret: attemptSecret(identity),
    privateHosts: options.allowPrivateHosts ?? [],
  });
  await proxies.start();
  const lease = new Lease(clock, () => host.leaseExpired());
  const bootId = await hostBootId();
  const machine = { bootId, machineId: await machineId(identity.runnerId) };
  const sessions = new LiveSessions();
  const engines: Engines = {
    find: engineFinder(enginesWith(options.agents ?? [])),
    want: (name, asked) => sandbox.awaitEngine(name, asked),
  };
  const settings = { runnerId: identity.runnerId, bootId, dataDir, image };
  const unseal = (sealed: string) => unsealSecrets(identity, sealed);
  const operator = new Operator({
    launcher: new EngineLauncher({ settings, containers, proxy: proxies, clock, log }),
    engines,
    sessions,
    lease: { isLive: () => lease.isLive(), ask: () => session.askForLease() },
    unseal,
    clock,
  });
  const usages = new UsageKeeper();
  const answer = createAnswerCall({
    workspaces,
    usages,
    attempts: {
      workspacesInUse: () => new Set(journal.list().map(({ spec }) => usedWorkspaceKey(spec))),
      steer: (ref, order) => host.steer(ref, order),
    },
    sandbox: { ...settings, containers, imageSupply: sandbox.imageSupply },
    operator,
    log,
  });
  const calls = new CallTable(clock, answer);
  const open = (sealed: string) => unsealJson(identity, sealed);
  const gitCredentials = createGitCredentials({ calls, clock, open });
  const { signingKeyPath } = options;
  const { controlPlaneUrl } = identity;
  const transport = await chooseTransport(controlPlaneUrl);
  if (transport.proxy !== null)
    log.info('the control plane is reached through a proxy', { proxy: transport.proxy });
  const uplink: Uplink = {
    delta: (ref, item) => session.delta(ref, item),
    ended: () => session.wake(),
    released: (ref, given) => session.released(ref, given),
    permitPush: (ref, params, signal) => askPushPermit({ calls, clock }, ref, params, signal),
    callTool: (ref, call) => askTool(calls, ref, call),
    putBlob: (ref, token, blob) => putBlob({ controlPlaneUrl, clock, transport }, ref, token, blob),
    getBlob: (ref, token, blob) => getBlob({ controlPlaneUrl, clock, transport }, ref, token, blob),
  };
  const tools = new ToolService({ dataDir, clock });
  const attemptDeps: AttemptDeps = {
    settings: { ...settings, ...(signingKeyPath === undefined ? {} : { signingKeyPath }) },
    containers,
    engines,
    uplink,
    workspaces: createWorkspacePort(workspaces),
    disk: hostDisk,
    proxy: proxies,
    tools,
    journal,
    spool,
    clock,
    log,
    // Only containers have caches, including those that become available later.
    caches: new SetupCaches(cachesFolder(dataDir), containerIdentity()),
    sessions,
    usages,
    containerRuns: (container) => gauge.follow(container),
  };
  const contextOf = createContextOf(attemptDeps);
  const gauge = new LoadGauge({ containers, clock, log }, () => session.askForLease());
  const disk = new DiskWatch(dataDir, { disk: hostDisk, clock, log });
  const isClosed = () => sandbox.isClosed();
  const { slots } = options;
  const capacity = new HostCapacity({ containers, engines, disk, gauge, clock, isClosed }, slots);
  const starter = new AttemptStarter({ contextOf, journal, containers, lease, unseal, log });
  const reaper = new LeaseReaper({ contextOf, containers, journal, spool, clock, log }, identity);
  const host = new AttemptHost({ journal, spool, reaper, capacity, starter, log }, settings);
  const renewed = (remainingMs: number) => {
    journal.saveLeaseEnd(clock.nowMs() + remainingMs);
    proxies.leaseRenewed(remainingMs).catch((error: unknown) => {
      log.error('access of the attempts was not renewed', { error: messageOf(error) });
    });
  };
  const introduction = introductionOf(deps, machine);
  const leases = new LeaseAsker({
    attempts: host,
    lease,
    clock,
    random: Math.random,
    renewed,
    wantsLease: () => operator.wantsLease(),
  });
  const session: ControlSession = new ControlSession({
    owner: {
      introduction: () => ({ ...introduction, ...sandbox.facts() }),
      welcomed: announce(deps),
      revoked: onRevoked,
    },
    attempts: host,
    leases,
    calls,
    openSocket: (channel) => new LiveSocket(channel, { attempts: host, clock, spool }),
    log,
  });
  const accessToken = () => mintAccessToken(identity, clock.nowMs());
  const dial = fallbackDial({
    socket: websocketDial(controlPlaneUrl, accessToken, transport),
    sync: syncDial(controlPlaneUrl, accessToken, transport),
    clock,
    log,
  });
  const socket = new ControlSocket({
    dial,
    clock,
    random: Math.random,
    log,
    owner: session,
  });
  sandbox.onChange(() => session.introduceAnew());
  // Started last: what begins here may end, and be reported, at once.
  await operator.boot();
  await host.boot();
  sandbox.onDockerCame((engine) => host.isolationCame(engine));
  restoreLease(lease, stores);
  const isIdle = () => host.isIdle();
  const mirrors = new MirrorMaintenance({ workspaces, clock, log, isIdle });
  return { host, session, socket, lease, proxies, operator, tools, mirrors };
}

function introductionOf(
  { identity, options }: RunnerDeps,
  machine: Pick<Introduction, 'bootId' | 'machineId'>,
): Omit<Introduction, keyof SandboxFacts> {
  return {
    protocol: { min: PROTOCOL_MIN, max: PROTOCOL_MAX },
    runnerId: identity.runnerId,
    ...machine,
    instanceId: randomUUID(),
    version: productVersion,
    features: [ENGINE_TEST_FEATURE, CHECKS_FEATURE, MERGE_FEATURE, REVIEW_FEATURE],
    labels: options.labels ?? identity.labels,
  };
}

function announce({ log, ready, identity }: RunnerDeps): (session: number) => void {
  let first = true;
  return (session) => {
    log.info('welcomed', { runnerId: identity.runnerId, session });
    if (first) ready();
    first = false;
  };
}

/** Restores the deadline of a former process's attempts. */
function restoreLease(lease: Lease, { journal, clock }: Stores): void {
  const endMs = journal.leaseEnd();
  const held = journal.list().some((entry) => entry.finish === null);
  if (held && endMs !== null && endMs > clock.nowMs()) lease.restore(endMs - clock.nowMs());
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}
