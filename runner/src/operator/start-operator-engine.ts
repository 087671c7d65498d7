import { join } from 'node:path';
import type { EngineSpec } from '@switchyard/shared/protocol/attempt-spec';
import { messageOf } from '@switchyard/shared/message-of';
import { plainText } from '@switchyard/shared/text/plain-text';
import { stopForSure } from '../attempt/session/end-engine.ts';
import type { ModelProxy, ProxyGrant } from '../attempt/attempt-deps.ts';
import type { Clock } from '../connection/clock.ts';
import type { LeaseRef } from '../connection/lease-ref.ts';
import type { Log } from '../log.ts';
import type { RunnerSettings } from '../run-options.ts';
import type { ContainerEngine, EngineContainer } from '../container/container-engine.ts';
import { deleteTree } from '../workspace/disk/delete-tree.ts';
import type { AgentEngine, OperatorSession } from '../engine/agent-engine.ts';
import { operatorHomePath, prepareOperatorHome } from './operator-home.ts';
import type { ListAccess, ProxyRoute } from './provider-models.ts';

/**
 * Home of the operator's engine inside its container; as a plain process it uses `operatorHomePath`
 * on the host.
 */
const CONTAINER_HOME = '/var/lib/switchyard/home';
const EMPTY_FOLDER = 'tmp';
const STDERR_BYTES = 500;
/** Time for the engine to save its files. */
const STOP_GRACE_MS = 1_000;
/** The engine parses session files and answers; nothing is built or run in it. */
const RESOURCES = {
  memoryBytes: 1024 ** 3,
  cpus: 1,
  pids: 128,
  tmpfsBytes: 64 * 1024 * 1024,
};

export type OperatorEngineDeps = {
  settings: RunnerSettings;
  containers: ContainerEngine;
  proxy: ModelProxy;
  clock: Clock;
  log: Log;
};

export type OperatorEngineStart = {
  spec: EngineSpec;
  image: string | undefined;
  apiKey: string | null;
  startTimeoutMs: number;
};

export type OperatorEngine = {
  session: OperatorSession;
  exited: Promise<unknown>;
  /** Access to the proxy for the runner's own requests to the provider. */
  proxy: ListAccess;
  /**
   * Ends the engine and releases its resources; a failed release is only logged. Idempotent, and
   * never rejects.
   */
  end(): Promise<void>;
};

/** Id in the container names of operator engines, also of a former process. */
function operatorId(runnerId: string): string {
  return `operator-${runnerId}`;
}

/**
 * Starts an engine without work, isolated like an attempt's and without a workspace. Rejects, with
 * everything released, when it is not ready in time.
 */
export async function startOperatorEngine(
  deps: OperatorEngineDeps,
  engine: AgentEngine,
  wanted: OperatorEngineStart & { epoch: number },
): Promise<OperatorEngine> {
  const ref: LeaseRef = { attemptId: operatorId(deps.settings.runnerId), epoch: wanted.epoch };
  const hold: Hold = { container: null, session: null, ended: null };
  const end = (): Promise<void> => (hold.ended ??= endHold(deps, ref, hold));
  try {
    const grant = await deps.proxy.grant({
      ref,
      providerBaseUrl: wanted.spec.provider.baseUrl,
      wireApi: wanted.spec.provider.wireApi,
      apiKey: wanted.apiKey,
      isolation: deps.containers.isolation,
    });
    const { container, session } = await launchEngine(deps, engine, {
      ...wanted,
      ref,
      grant,
      hold,
    });
    deps.log.info('the operator engine answers', { version: session.engineVersion });
    const { wireApi } = wanted.spec.provider;
    const proxy = { route: routeOf(deps.containers, grant), token: grant.token, wireApi };
    return { session, exited: container.exited, proxy, end };
  } catch (error) {
    const stderr = plainText(
      (await hold.container?.stderrTail(STDERR_BYTES).catch(() => '')) ?? '',
    );
    await end();
    const tail = stderr.trim() === '' ? '' : `; its last output: ${stderr.trim()}`;
    throw new Error(`the agent engine does not start (${messageOf(error)})${tail}`, {
      cause: error,
    });
  }
}

type Hold = {
  container: EngineContainer | null;
  session: OperatorSession | null;
  ended: Promise<void> | null;
};

async function launchEngine(
  deps: OperatorEngineDeps,
  engine: AgentEngine,
  wanted: OperatorEngineStart & { ref: LeaseRef; grant: ProxyGrant; hold: Hold },
): Promise<{ container: EngineContainer; session: OperatorSession }> {
  if (engine.openOperator === undefined) throw new Error(`${engine.name} answers no operators`);
  const { spec, ref, grant, hold, startTimeoutMs } = wanted;
  const { runnerId, bootId, dataDir, image } = deps.settings;
  const sandboxed = deps.containers.isolation === 'docker';
  const homePath = sandboxed ? CONTAINER_HOME : operatorHomePath(dataDir);
  const launch = engine.launch({
    model: spec.model,
    ...(spec.reasoningEffort === undefined ? {} : { reasoningEffort: spec.reasoningEffort }),
    providerBaseUrl: grant.baseUrl,
    wireApi: spec.provider.wireApi,
    proxyToken: grant.token,
    homePath,
    workspacePath: null,
    sandboxed,
  });
  const identity = deps.containers.workIdentity;
  const hostPath = await prepareOperatorHome(dataDir, { launch, identity });
  const emptyFolder = join(homePath, EMPTY_FOLDER);
  hold.container = await deps.containers.start({
    owner: { runnerId, ...ref, bootId },
    image: wanted.image ?? image,
    argv: launch.argv,
    env: launch.env,
    workingDirectory: sandboxed ? homePath : hostPath,
    mounts: [{ hostPath, containerPath: homePath, readOnly: false }],
    resources: RESOURCES,
    proxy: grant.access,
    stateFolder: statePath(dataDir),
  });
  hold.session = await engine.openOperator({ stdio: hold.container, emptyFolder, startTimeoutMs });
  return { container: hold.container, session: hold.session };
}

function routeOf(containers: ContainerEngine, { access }: ProxyGrant): ProxyRoute {
  if (containers.isolation === 'docker') {
    return { socketPath: join(access.socketFolder, 'proxy.sock') };
  }
  return { host: '127.0.0.1', port: access.hostPort };
}

async function endHold(deps: OperatorEngineDeps, ref: LeaseRef, hold: Hold): Promise<void> {
  hold.session?.close();
  if (hold.container !== null) await stopForSure(deps, hold.container, STOP_GRACE_MS);
  try {
    // A start whose answer was lost may have created a container.
    if (hold.container === null) await endOperatorEngines(deps);
    await deps.proxy.revoke(ref);
    await deleteTree(statePath(deps.settings.dataDir));
  } catch (error) {
    deps.log.warn('an operator engine left something', { error: messageOf(error) });
  }
}

/** Ends what a former process, or a failed start, left. Throws as `list` does. */
export async function endOperatorEngines(deps: OperatorEngineDeps): Promise<void> {
  const { runnerId } = deps.settings;
  for (const container of await deps.containers.list(runnerId)) {
    if (container.owner.attemptId !== operatorId(runnerId)) continue;
    await stopForSure(deps, container, 0);
  }
}

function statePath(dataDir: string): string {
  return join(dataDir, 'operator', 'state');
}
