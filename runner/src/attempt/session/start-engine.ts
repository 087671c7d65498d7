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
import type { AttemptContext, ProxyGrant } from '../attempt-deps.ts';
import { AttemptFailed, failureOfExit, failureOfStep } from '../attempt-end.ts';
import { recordLocks } from './isolation-problem.ts';
import type { EngineHome, EnginePlace } from '../companions/engine-place.ts';
import type { Companions } from '../companions/companions.ts';
import type { ModelWatch } from '../watch/model-watch.ts';
import { CONTAINER_HOME, homePathOf } from '../mounts/engine-home.ts';
import { servedTools } from '../tools/tool-service.ts';
import { readRepositoryServers } from './read-repository-servers.ts';
import { stateFolderOf } from './remove-engine-state.ts';
import { imageOf, resourcesOf, workspaceMounts } from '../mounts/workspace-mounts.ts';

const STDERR_TAIL_BYTES = 2_000;
/** A container that has exited is noticed within a second. */
const EXIT_NEWS_MS = 1_500;

/** Network access of an attempt's commands; an empty environment: they get no proxy. */
export type WayOut = Pick<ProxyGrant, 'access' | 'env'>;

/** What an attempt has of its engine so far, and what accompanies it. */
export type EngineHold = {
  companions: Companions;
  model: ModelWatch;
  /** Network access of hooks and checks; null: not granted yet, or not known any more. */
  wayOut: WayOut | null;
  /** Null until the engine is about to start; stays after its end. */
  place: EnginePlace | null;
  container: EngineContainer | null;
  session: EngineSession | null;
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
 * Reviews have theirs too: kept sessions are replaced, and the author's thread goes on later.
 */
function homeOf(context: AttemptContext, launch: EngineLaunch): EngineHome {
  const { deps, ref, spec } = context;
  const { name } = engineOf(context);
  const isDefault = deps.engines.find(undefined)?.name === name;
  const ofAuthor = isDefault ? ['sessions'] : ['engine-sessions', name];
  const kept = spec.review === undefined ? ofAuthor : ['review-sessions', name];
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

/** Where an engine works that a former process started. */
export function placeOfRunning(context: AttemptContext, workspace: PreparedWorkspace): EnginePlace {
  const launch = launchOfRunning(context, workspace.path);
  return { workspace, home: homeOf(context, launch), launch };
}

/** The home of an engine that a former process started. */
export function homeOfRunning(context: AttemptContext): EngineHome {
  return homeOf(context, launchOfRunning(context, '/'));
}

/**
 * The launch values that also apply to an engine started by a former process, such as its folders.
 */
function launchOfRunning(context: AttemptContext, workspacePath: string): EngineLaunch {
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

/** Starts the engine. Fills `hold` step by step, so that the end can release everything. */
export async function startEngineStep(
  context: AttemptContext,
  workspace: PreparedWorkspace,
  grant: ProxyGrant,
  hold: EngineHold,
): Promise<EngineSession> {
  const { spec, deps, recorder, control, ref } = context;
  const { companions } = hold;
  const startedMs = deps.clock.monotonicMs();
  let instructions: string | null = null;
  let repositoryServers: RepositoryServer[] = [];
  try {
    const { instructionFiles = [] } = engineOf(context);
    instructions = await deps.workspaces.readInstructions(workspace.path, instructionFiles);
    repositoryServers = await readRepositoryServers(context, workspace.path);
    const found = { instructions, repositoryServers };
    const launch = launchOf(context, workspace.path, grant, found);
    const place = { workspace, home: homeOf(context, launch), launch };
    hold.place = place;
    const mounts = await companions.engineStarting(place);
    control.check();
    hold.container = await deps.containers.start({
      owner: context.owner,
      image: imageOf(context),
      argv: launch.argv,
      env: { ...grant.env, ...launch.env },
      workingDirectory: workspace.path,
      mounts: [...workspaceMounts(workspace, spec), ...mounts],
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
  const { container, place } = hold;
  const { containerId } = container;
  const durationMs = Math.round(deps.clock.monotonicMs() - startedMs);
  recorder.progress({ proxyTokenHash: grant.tokenHash }, { phase: 'running', containerId });
  // Before anything is awaited, so that no notice of the container is missed.
  await companions.containerRuns({ ...place, container, isAdopted: false });
  const { isolation } = deps.containers;
  await recorder.event('container', { state: 'started', containerId, isolation, durationMs });
  try {
    await recordLocks(context, container);
  } catch (error) {
    control.check();
    throw await engineTrouble(context, container, error);
  }
  hold.session = companions.sessionOpened(
    await openSession(context, container, {
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
    return await control.race(opening);
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
