import { join } from 'node:path';
import { leaseKey } from '../../connection/lease-ref.ts';
import type { EngineContainer } from '../../container/container-engine.ts';
import type {
  AgentEngine,
  EngineLaunch,
  EngineSession,
  OpenSession,
  RepositoryServer,
  ToolServer,
} from '../../engine/agent-engine.ts';
import type { PreparedWorkspace } from '../../workspace/workspace.ts';
import { workspaceKeyOf } from '@switchyard/shared/protocol/workspace-key';
import { plainText } from '@switchyard/shared/text/plain-text';
import type { AttemptContext, AttemptDeps, ProxyGrant } from '../attempt-deps.ts';
import { AttemptFailed, failureOfExit, failureOfStep } from '../attempt-end.ts';
import { recordLocks } from './isolation-problem.ts';
import { watchDiskQuota } from '../watch/disk-quota.ts';
import type { Watch } from '../watch/watch-egress.ts';
import type { EngineHome } from '../mounts/engine-home.ts';
import { CONTAINER_HOME, createEngineHome, homePathOf } from '../mounts/engine-home.ts';
import { hideFolders } from '../mounts/hide-folders.ts';
import { servedTools } from '../tools/tool-service.ts';
import { readRepositoryServers } from './read-repository-servers.ts';
import { serveTools } from './serve-tools.ts';
import { restoreSession } from './restore-work.ts';
import { imageOf, resourcesOf, workspaceMounts } from '../mounts/workspace-mounts.ts';

const STDERR_TAIL_BYTES = 2_000;
/** A container that has exited is noticed within a second. */
const EXIT_NEWS_MS = 1_500;

/** Network access of an attempt's commands; an empty environment: they get no proxy. */
export type WayOut = Pick<ProxyGrant, 'access' | 'env'>;

/** The resources of an attempt while its engine runs; its end releases all of them. */
export type EngineHold = {
  /** The proxy may have a grant for this attempt. */
  granted: boolean;
  /** Network access of hooks and checks; null: not granted yet, or not known any more. */
  wayOut: WayOut | null;
  home: EngineHome | null;
  container: EngineContainer | null;
  session: EngineSession | null;
  /** What the last checkpoint needs after the engine has ended. */
  kept: { workspace: PreparedWorkspace; home: EngineHome } | null;
  /** Watches that run until the engine has ended. */
  watches: Watch[];
  /** Files below the home that are removed once a thread has begun. */
  secretFiles: readonly string[];
};

/** The engine of a specification; an unknown name was already declined with the offer. */
function engineOf(context: AttemptContext): AgentEngine {
  const engine = context.deps.engines.find(context.spec.engine.name);
  if (engine !== null) return engine;
  throw new AttemptFailed(
    'agent_error',
    `this runner has no agent engine ${context.spec.engine.name}`,
  );
}

/**
 * The home of an engine; each engine has its own sessions folder, since sessions cannot be shared.
 */
export function homeOf(context: AttemptContext, launch: EngineLaunch): EngineHome {
  const { deps, ref, spec } = context;
  const { name } = engineOf(context);
  const isDefault = deps.engines.find(undefined)?.name === name;
  const kept = isDefault ? ['sessions'] : ['engine-sessions', name];
  return {
    path: homePathOf(deps.settings.dataDir, ref),
    sessionsFolder: launch.sessionsFolder,
    isDatabase: launch.sessionsNeedEnd === true,
    keptPath: join(deps.settings.dataDir, ...kept, workspaceKeyOf(spec)),
  };
}

/** Tool server at the attempt's proxy, for an engine without native tools. */
export function toolServerOf(
  context: AttemptContext,
  proxy: { baseUrl: string; token: string },
): { toolServer?: ToolServer } {
  const { deps, spec } = context;
  const offered = servedTools(engineOf(context), spec.tools);
  if (deps.tools === undefined || offered.length === 0) return {};
  const url = new URL('/mcp', proxy.baseUrl).href;
  const headers = { authorization: `Bearer ${proxy.token}` };
  return { toolServer: { name: 'switchyard', url, headers } };
}

/** What is found in a workspace was told the engine when it started. */
const STARTED_BEFORE = { instructions: null, repositoryServers: [], isRunning: true };

/**
 * The launch values that also apply to an engine started by a former process, such as its folders.
 */
export function launchOfRunning(context: AttemptContext, workspacePath: string): EngineLaunch {
  const proxy = { baseUrl: 'http://127.0.0.1:1', token: '' };
  return launchOf(context, workspacePath, proxy, STARTED_BEFORE);
}

/** How the engine of this attempt is launched. */
function launchOf(
  context: AttemptContext,
  workspacePath: string,
  proxy: { baseUrl: string; token: string },
  found: {
    instructions: string | null;
    repositoryServers: readonly RepositoryServer[];
    isRunning?: boolean;
  },
): EngineLaunch {
  const { spec, deps, ref } = context;
  const { instructions, repositoryServers, isRunning = false } = found;
  const sandboxed = deps.containers.isolation === 'docker';
  const { model, reasoningEffort, provider, repositorySettings = false } = spec.engine;
  return engineOf(context).launch({
    model,
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    providerBaseUrl: proxy.baseUrl,
    wireApi: provider.wireApi,
    proxyToken: proxy.token,
    homePath: sandboxed ? CONTAINER_HOME : homePathOf(deps.settings.dataDir, ref),
    workspacePath,
    repositorySettings,
    ...(instructions === null ? {} : { instructions }),
    ...(repositoryServers.length === 0 ? {} : { repositoryServers }),
    ...toolServerOf(context, proxy),
    sandboxed,
    isRunning,
  });
}

/**
 * Creates the engine's home and container. Fills `hold` step by step, so that the end can release
 * everything.
 */
export async function startEngineStep(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  grant: ProxyGrant,
  hold: EngineHold,
): Promise<EngineSession> {
  const { spec, deps, recorder, control, ref } = context;
  const startedMs = deps.clock.monotonicMs();
  let instructions: string | null = null;
  let repositoryServers: RepositoryServer[] = [];
  try {
    const { instructionFiles = [] } = engineOf(context);
    instructions = await deps.workspaces.readInstructions(workspace.path, instructionFiles);
    repositoryServers = await readRepositoryServers(context, workspace.path);
    const found = { instructions, repositoryServers };
    const launch = launchOf(context, workspace.path, grant, found);
    const home = homeOf(context, launch);
    hold.home = home;
    hold.secretFiles = launch.secretFiles ?? [];
    hold.kept = { workspace, home };
    await restoreSession(context, home);
    const withSessions = spec.resumeThreadId !== undefined;
    const { workIdentity: identity } = deps.containers;
    await createEngineHome(deps.disk, home, { launch, withSessions, identity });
    const hidden = await hideFolders(context, workspace, launch.hiddenFolders);
    control.check();
    const sandboxed = deps.containers.isolation === 'docker';
    const homeMount = {
      hostPath: home.path,
      containerPath: sandboxed ? CONTAINER_HOME : home.path,
      readOnly: false,
    };
    hold.container = await deps.containers.start({
      owner: context.owner,
      image: imageOf(context),
      argv: launch.argv,
      env: { ...grant.env, ...launch.env },
      workingDirectory: workspace.path,
      mounts: [...workspaceMounts(workspace, spec), ...hidden, homeMount],
      resources: resourcesOf(context),
      proxy: grant.access,
      runtime: spec.sandbox.runtime,
      stateFolder: stateFolderOf(deps, ref),
    });
  } catch (error) {
    hold.container ??= await findOwn(context);
    control.check();
    throw failureOfStep(error, 'agent_error');
  }
  noteOoms(context, hold.container);
  const { containerId } = hold.container;
  recorder.progress({ proxyTokenHash: grant.tokenHash }, { phase: 'running', containerId });
  deps.containerRuns?.({ containerId, owner: context.owner });
  await recorder.event('container', {
    state: 'started',
    containerId,
    isolation: deps.containers.isolation,
    durationMs: Math.round(deps.clock.monotonicMs() - startedMs),
  });
  if (hold.home !== null) hold.watches.push(watchDiskQuota(context, workspace, hold.home));
  try {
    await recordLocks(context, hold.container);
  } catch (error) {
    control.check();
    throw await engineTrouble(context, hold.container, error);
  }
  const withTools = await serveTools(context, hold.watches);
  hold.session = withTools(
    await openSession(context, hold.container, {
      adopted: false,
      workspacePath: workspace.path,
      repositoryServers,
      ...toolServerOf(context, grant),
      ...(instructions === null ? {} : { instructions }),
      repositorySettings: spec.engine.repositorySettings === true,
    }),
  );
  await recorder.log('runner', `the agent engine answers (version ${hold.session.engineVersion})`);
  return hold.session;
}

/** Finds this attempt's container: a start whose answer was lost may have created one. */
async function findOwn(context: AttemptContext): Promise<EngineContainer | null> {
  const { deps, ref } = context;
  try {
    const containers = await deps.containers.list(deps.settings.runnerId);
    return containers.find(({ owner }) => leaseKey(owner) === leaseKey(ref)) ?? null;
  } catch (error) {
    deps.log.error('containers cannot be listed', { ...ref, error: String(error) });
    return null;
  }
}

/**
 * The engine may survive: usually one of the agent's commands was killed, and the agent sees that.
 */
export function noteOoms(context: AttemptContext, container: EngineContainer): void {
  container.onOom(() => {
    const message = 'something in the container was killed because its memory limit was reached';
    context.recorder.event('notice', { level: 'warning', message }).catch((error: unknown) => {
      context.deps.log.error('an event was not stored', { ...context.ref, error: String(error) });
    });
  });
}

export function stateFolderOf(
  { settings }: Pick<AttemptDeps, 'settings'>,
  ref: { attemptId: string; epoch: number },
): string {
  return join(settings.dataDir, 'engines', leaseKey(ref));
}

/** Opens a session on a running engine; `adopted` when a former process started it. */
export async function openSession(
  context: AttemptContext,
  container: EngineContainer,
  how: Omit<OpenSession, 'stdio' | 'journal' | 'callTool'>,
): Promise<EngineSession> {
  const { deps, ref, control } = context;
  const opening = engineOf(context).open({
    stdio: container,
    journal: {
      load: () => deps.spool.loadEngine(ref),
      save: (state) => deps.spool.saveEngine(ref, state),
    },
    ...how,
    ...(context.spec.tools === undefined
      ? {}
      : { callTool: (call) => deps.uplink.callTool(ref, call) }),
  });
  try {
    const session = await control.race(opening);
    deps.sessions?.add(leaseKey(ref), session);
    return session;
  } catch (error) {
    opening.then(
      (session) => session.close(),
      () => undefined,
    );
    control.check();
    throw await engineTrouble(context, container, error);
  }
}

/**
 * The error for a failed engine call: the engine's exit, if it has exited, else the call's error.
 */
export async function engineTrouble(
  context: AttemptContext,
  container: EngineContainer,
  error: unknown,
): Promise<AttemptFailed> {
  if (error instanceof AttemptFailed) return error;
  const exit = await Promise.race([
    container.exited,
    new Promise<null>((resolve) => {
      context.deps.clock.after(EXIT_NEWS_MS, () => resolve(null));
    }),
  ]);
  if (exit === null) return failureOfStep(error, 'agent_error');
  const tail = plainText(await container.stderrTail(STDERR_TAIL_BYTES).catch(() => ''));
  await context.recorder.log('engine', tail);
  return failureOfExit(exit, tail);
}
