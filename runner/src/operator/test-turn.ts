import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineSpec } from '@switchyard/shared/protocol/attempt-spec';
import {
  type EngineTestOutcome,
  MAX_ENGINE_TEST_TEXT_CHARS,
} from '@switchyard/shared/protocol/engine-test';
import type { EngineTestFailureKind } from '@switchyard/shared/engine/engine-test-failure';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { plainText } from '@switchyard/shared/text/plain-text';
import { withFolder, withFolderInside } from '../agent-files/with-folder.ts';
import { stopForSure } from '../attempt/session/end-engine.ts';
import { CONTAINER_HOME, createEngineHome } from '../attempt/mounts/engine-home.ts';
import type { LeaseRef } from '../connection/lease-ref.ts';
import type { EngineContainer } from '../container/container-engine.ts';
import type {
  AgentEngine,
  EngineEvent,
  EngineLaunch,
  EngineSession,
  TokenTotals,
} from '../engine/agent-engine.ts';
import { memoryJournal } from '../engine/session/memory-journal.ts';
import { deleteTree } from '../workspace/disk/delete-tree.ts';
import { hostDisk } from '../workspace/disk/host-disk.ts';
import type { OperatorEngineDeps } from './start-operator-engine.ts';
import { type Race, startDeadline } from './start-deadline.ts';
import { TestFailed } from './test-failed.ts';
import { watchReport } from './watch-report.ts';

const PROMPT =
  'Answer with the single word ready. Use no tools, read no files and do nothing else.';
const STDERR_BYTES = 500;
/** The answer is known by then; further output of the engine is useless. */
const STOP_GRACE_MS = 1_000;
const RESOURCES = {
  memoryBytes: 2 * 1024 ** 3,
  cpus: 2,
  pids: 256,
  tmpfsBytes: 256 * 1024 * 1024,
};

export type TestTurn = {
  spec: EngineSpec;
  image: string | undefined;
  apiKey: string | null;
  timeoutMs: number;
  maxTokens: number;
};

/** The outcome of a test that did not reach an engine. */
export function testNotRun(kind: EngineTestFailureKind, message: string): EngineTestOutcome {
  const failure = { kind, message: cutText(message, 2_000) };
  return { version: null, startMs: null, turnMs: null, tokens: null, text: '', failure };
}

/** Id in the container names of test turns, also of a former process. */
function testId(runnerId: string): string {
  return `engine-test-${runnerId}`;
}

/**
 * Starts the engine like an attempt in an empty read-only folder, runs one small turn and ends it;
 * resolves when its end is confirmed. Never rejects: a failure is the outcome. `signal`: nobody
 * waits any more.
 */
export async function runTestTurn(
  deps: OperatorEngineDeps,
  engine: AgentEngine,
  wanted: TestTurn & { epoch: number },
  signal: AbortSignal,
): Promise<EngineTestOutcome> {
  const ref: LeaseRef = { attemptId: testId(deps.settings.runnerId), epoch: wanted.epoch };
  const run: Run = { container: null, session: null, report: testNotRun('not_started', '') };
  const stop = startDeadline(deps.clock, wanted.timeoutMs, signal);
  try {
    await start(deps, engine, { ...wanted, ref, run, race: stop.race });
    await takeTurn(deps, { ...wanted, ref, run, race: stop.race });
    run.report.failure = null;
  } catch (error) {
    run.report.failure = await failureOf(error, run);
  } finally {
    stop.clear();
    await end(deps, ref, run);
  }
  return run.report;
}

type Run = {
  container: EngineContainer | null;
  session: EngineSession | null;
  report: EngineTestOutcome;
};

async function start(
  deps: OperatorEngineDeps,
  engine: AgentEngine,
  wanted: TestTurn & { ref: LeaseRef; run: Run; race: Race },
): Promise<void> {
  const { spec, ref, run, race } = wanted;
  const { runnerId, bootId, dataDir, image } = deps.settings;
  const startedMs = deps.clock.monotonicMs();
  const isolation = deps.containers.isolation;
  const sandboxed = isolation === 'docker';
  const { homePath, workPath } = pathsOf(dataDir);
  const grant = await deps.proxy.grant({
    ref,
    providerBaseUrl: spec.provider.baseUrl,
    wireApi: spec.provider.wireApi,
    apiKey: wanted.apiKey,
    isolation,
  });
  const launch = engine.launch({
    model: spec.model,
    ...(spec.reasoningEffort === undefined ? {} : { reasoningEffort: spec.reasoningEffort }),
    providerBaseUrl: grant.baseUrl,
    wireApi: spec.provider.wireApi,
    proxyToken: grant.token,
    homePath: sandboxed ? CONTAINER_HOME : homePath,
    workspacePath: workPath,
    sandboxed,
  });
  await makeFolders(deps, launch);
  run.container = await deps.containers.start({
    owner: { runnerId, ...ref, bootId },
    image: wanted.image ?? image,
    argv: launch.argv,
    env: { ...grant.env, ...launch.env },
    workingDirectory: workPath,
    mounts: [
      { hostPath: workPath, containerPath: workPath, readOnly: true },
      {
        hostPath: homePath,
        containerPath: sandboxed ? CONTAINER_HOME : homePath,
        readOnly: false,
      },
    ],
    resources: RESOURCES,
    proxy: grant.access,
    stateFolder: statePath(dataDir),
  });
  run.session = await openSession(engine, run.container, workPath, race);
  run.report.version = cutText(run.session.engineVersion, 200);
  await race(run.session.startThread({ cwd: workPath, model: spec.model }));
  await removeSecrets(homePath, launch);
  run.report.startMs = Math.round(deps.clock.monotonicMs() - startedMs);
}

async function openSession(
  engine: AgentEngine,
  stdio: EngineContainer,
  workspacePath: string,
  race: Race,
): Promise<EngineSession> {
  const opening = engine.open({ stdio, journal: memoryJournal(), adopted: false, workspacePath });
  try {
    return await race(opening);
  } catch (error) {
    opening.then(
      (session) => session.close(),
      () => undefined,
    );
    throw error;
  }
}

async function takeTurn(
  deps: Pick<OperatorEngineDeps, 'proxy' | 'clock'>,
  { ref, run, spec, race, maxTokens }: TestTurn & { ref: LeaseRef; run: Run; race: Race },
): Promise<void> {
  const { session, report } = run;
  if (session === null) throw new TestFailed('not_started', 'the agent engine did not start');
  const startedMs = deps.clock.monotonicMs();
  const { model, reasoningEffort } = spec;
  const params = reasoningEffort === undefined ? { model } : { model, reasoningEffort };
  const reader = session.events[Symbol.asyncIterator]();
  const watch = watchReport(deps, ref, { report, maxTokens });
  const next = () => race(Promise.race([reader.next(), watch.failed]));
  const input = { text: PROMPT, clientMessageId: `test.${Math.round(startedMs)}` };
  try {
    await race(session.startTurn(input, params));
    for (;;) {
      const read = await next();
      if (read.done === true) throw new Error('the agent engine closed its output');
      const event = read.value;
      if (event.kind === 'request') await race(session.answer(event.requestId, {}));
      note(report, event, maxTokens);
      if (event.kind === 'turn_ended') return endOf(event);
    }
  } catch (error) {
    throw await watch.reasonOf(error);
  } finally {
    await watch.end();
    report.turnMs = Math.round(deps.clock.monotonicMs() - startedMs);
  }
}

function note(report: EngineTestOutcome, event: EngineEvent, maxTokens: number): void {
  if (event.kind === 'item_ended' && event.item.type === 'message') {
    report.text = cutText(event.item.text.trim(), MAX_ENGINE_TEST_TEXT_CHARS);
  }
  if (event.kind !== 'stats') return;
  report.tokens = plainTotals(event.totals);
  if (event.totals.total <= maxTokens) return;
  const message = `the turn used ${event.totals.total} tokens; a test may use ${maxTokens}`;
  throw new TestFailed('too_many_tokens', message);
}

function plainTotals({ input, cachedInput, output, reasoning, total }: TokenTotals): TokenTotals {
  return { input, cachedInput, output, reasoning, total };
}

function endOf({ status, failure }: Extract<EngineEvent, { kind: 'turn_ended' }>): void {
  if (status === 'completed') return;
  const { kind = 'agent_error', message = `the turn was ${status}`, resetAtMs } = failure ?? {};
  throw new TestFailed(kind === 'context_exceeded' ? 'agent_error' : kind, message, resetAtMs);
}

async function failureOf(
  reason: unknown,
  { container, session }: Run,
): Promise<EngineTestOutcome['failure']> {
  if (reason instanceof TestFailed) {
    const { kind, message, resetAtMs } = reason;
    return { kind, message: cutText(message, 2_000), ...(resetAtMs ? { resetAtMs } : {}) };
  }
  const stderr = plainText(
    (await container?.stderrTail(STDERR_BYTES).catch(() => '')) ?? '',
  ).trim();
  const tail = stderr === '' ? '' : `; its last output: ${stderr}`;
  const message = `${messageOf(reason)}${tail}`;
  return {
    kind: session === null ? 'not_started' : 'agent_error',
    message: cutText(message, 2_000),
  };
}

async function makeFolders(
  { settings, containers }: Pick<OperatorEngineDeps, 'settings' | 'containers'>,
  launch: EngineLaunch,
): Promise<void> {
  const { homePath, workPath, rootPath } = pathsOf(settings.dataDir);
  await deleteTree(rootPath);
  await mkdir(workPath, { recursive: true, mode: 0o755 });
  const home = { path: homePath, sessionsFolder: launch.sessionsFolder };
  const identity = containers.workIdentity;
  // Nothing of the home is kept.
  const kept = { keptPath: '', isDatabase: false };
  await createEngineHome(hostDisk, { ...home, ...kept }, { launch, withSessions: false, identity });
}

async function removeSecrets(homePath: string, { secretFiles = [] }: EngineLaunch): Promise<void> {
  await withFolder(homePath, async (home) => {
    for (const name of secretFiles) {
      const steps = name.split('/');
      const file = steps.pop() ?? '';
      await withFolderInside(home, steps, { make: false }, (folder) => folder.remove(file));
    }
  });
}

async function end(deps: OperatorEngineDeps, ref: LeaseRef, run: Run): Promise<void> {
  run.session?.close();
  try {
    if (run.container !== null) await stopForSure(deps, run.container, STOP_GRACE_MS);
    else await endTestTurns(deps);
    await deps.proxy.revoke(ref);
    await deleteTree(pathsOf(deps.settings.dataDir).rootPath);
    await deleteTree(statePath(deps.settings.dataDir));
  } catch (error) {
    deps.log.warn('a test turn left something', { error: messageOf(error) });
  }
}

/** Ends what a former process, or a failed start, left. Throws as `list` does. */
export async function endTestTurns(deps: OperatorEngineDeps): Promise<void> {
  const { runnerId } = deps.settings;
  for (const container of await deps.containers.list(runnerId)) {
    if (container.owner.attemptId !== testId(runnerId)) continue;
    await stopForSure(deps, container, 0);
  }
}

function pathsOf(dataDir: string): { rootPath: string; homePath: string; workPath: string } {
  const rootPath = join(dataDir, 'operator', 'test');
  return { rootPath, homePath: join(rootPath, 'home'), workPath: join(rootPath, 'work') };
}

function statePath(dataDir: string): string {
  return join(dataDir, 'operator', 'test-state');
}
