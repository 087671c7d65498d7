import { createHash } from 'node:crypto';
import type { CallParams } from '@switchyard/shared/protocol/calls';
import {
  type EngineOperation,
  type EngineOutcome,
  MAX_ENGINE_RESULT_BYTES,
  MAX_OPEN_ENGINE_OPERATIONS,
  OPERATOR_START_TIMEOUT_MS,
} from '@switchyard/shared/protocol/engine-operations';
import type { EngineTestOutcome, EngineTestParams } from '@switchyard/shared/protocol/engine-test';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { type Clock, sleep } from '../connection/clock.ts';
import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import type { EngineSession } from '../engine/agent-engine.ts';
import type { Engines } from '../engine/engines.ts';
import type { LiveSessions } from '../engine/live-sessions.ts';
import type { EngineLauncher } from './engine-launcher.ts';
import { providerModels } from './provider-models.ts';
import { shortenResult } from './shorten-result.ts';
import type { OperatorEngine } from './start-operator-engine.ts';
import { testNotRun } from './test-turn.ts';

/** Time without a request after which the engine is stopped. */
const IDLE_MS = 5 * 60_000;
/** An idle runner has no lease until it requests one, which takes a round trip. */
const LEASE_WAIT_MS = 5_000;
const LEASE_POLL_MS = 20;

export type OperatorDeps = {
  launcher: EngineLauncher;
  engines: Engines;
  sessions: LiveSessions;
  lease: {
    isLive(): boolean;
    /** Requests a lease from the control plane now, without waiting for it. */
    ask(): void;
  };
  unseal(sealed: string): Promise<{ providerApiKey?: string | undefined }>;
  clock: Clock;
};

type Request = CallParams<'engine.request'>;
type Running = { engine: OperatorEngine; key: string; stamp: number };

/** Operations that would take a thread away from the attempt that works on it. */
const DISTURBING: ReadonlySet<EngineOperation['op']> = new Set([
  'thread.archive',
  'thread.unarchive',
  'thread.unsubscribe',
]);
const READS_STORE: ReadonlySet<EngineOperation['op']> = new Set([
  'threads.list',
  'thread.read',
  'thread.fork',
  'thread.name',
  'thread.archive',
]);

/**
 * Serves operators: threads of running attempts through their engines, everything else through one
 * engine of this runner that is started on demand. There is never more than one.
 */
export class Operator {
  readonly #deps: OperatorDeps;
  readonly #startTimeoutMs: number;
  #running: Running | null = null;
  /** Serialises starts and ends. */
  #turn: Promise<unknown> = Promise.resolve();
  #open = 0;
  #stopped = false;
  #awaitsLease = false;
  /** The running test turn, with the means to end it. */
  #test: { end: AbortController; done: Promise<EngineTestOutcome> } | null = null;
  #cancelIdle = (): void => undefined;

  constructor(
    deps: OperatorDeps,
    { startTimeoutMs = OPERATOR_START_TIMEOUT_MS }: { startTimeoutMs?: number } = {},
  ) {
    this.#deps = deps;
    this.#startTimeoutMs = startTimeoutMs;
  }

  /** Whether an engine runs or is about to start: without a lease it would be ended. */
  wantsLease(): boolean {
    return this.#awaitsLease || this.#running !== null || this.#test !== null;
  }

  /** Called before other parts use containers: ends those of a former process. */
  async boot(): Promise<void> {
    await this.#deps.launcher.endFormer();
  }

  /** Performs an operation; never rejects. `signal`: nobody waits any more. */
  async answer(request: Request, signal: AbortSignal): Promise<EngineOutcome> {
    if (this.#open >= MAX_OPEN_ENGINE_OPERATIONS) {
      return { outcome: 'unreachable', message: 'the runner answers other operators' };
    }
    this.#open += 1;
    this.#cancelIdle();
    try {
      return fitting(await this.#perform(request, signal));
    } catch (error) {
      return { outcome: 'unreachable', message: cutText(messageOf(error), 2_000) };
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#endWhenIdle();
    }
  }

  /** Stops the engine for good, because the runner stops. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelIdle();
    this.#test?.end.abort();
    await this.#test?.done;
    await this.#inTurn(() => this.#end());
  }

  /**
   * Runs a small test turn on a separate engine. Never rejects; a concurrent second test is
   * refused. `signal`: nobody waits any more.
   */
  async testTurn(request: EngineTestParams, signal: AbortSignal): Promise<EngineTestOutcome> {
    if (this.#test !== null)
      return testNotRun(
        'busy',
        'another test turn goes on at this runner; try again when it ended',
      );
    const end = new AbortController();
    const done = this.#runTest(request, AbortSignal.any([signal, end.signal]));
    this.#test = { end, done };
    return done.finally(() => {
      this.#test = null;
    });
  }

  async #runTest(request: EngineTestParams, signal: AbortSignal): Promise<EngineTestOutcome> {
    const { engine: spec, image, sealedSecrets: sealed, timeoutMs, maxTokens } = request;
    const { engines, launcher, unseal } = this.#deps;
    const engine = engines.find(spec.name);
    if (engine === null)
      return testNotRun('engine_missing', `this runner has no agent engine ${spec.name}`);
    const wait = engines.want?.(spec.name, { isPerson: true }) ?? null;
    if (wait !== null) return testNotRun('busy', wait);
    try {
      if (this.#stopped) throw new Error('the runner is stopping');
      const secrets = sealed === undefined ? {} : await unseal(sealed);
      const apiKey = secrets.providerApiKey ?? null;
      await this.#awaitLease();
      const test = { spec, image, apiKey, timeoutMs, maxTokens };
      return await launcher.test(engine, test, signal);
    } catch (error) {
      return testNotRun('not_started', messageOf(error));
    }
  }

  async #perform(request: Request, signal: AbortSignal): Promise<EngineOutcome> {
    const { operation, requestTimeoutMs } = request;
    const live = 'threadId' in operation ? this.#deps.sessions.ofThread(operation.threadId) : null;
    if (live !== null) return askLive(live, operation, requestTimeoutMs);
    const wanted = this.#deps.engines.find(request.engine.name);
    if (wanted !== null && wanted.openOperator === undefined) {
      const message = `the agent engine ${wanted.name} answers no operators`;
      return { outcome: 'unsupported', message };
    }
    const engine = await this.#inTurn(() => this.#ready(request));
    const outcome = await engine.session.ask(operation, requestTimeoutMs);
    if (outcome.outcome === 'unreachable') this.#discard(engine);
    if (outcome.outcome !== 'answered') return outcome;
    const { result } = outcome;
    if (operation.op === 'threads.loaded') {
      const data = Array.isArray(result['data']) ? (result['data'] as unknown[]) : [];
      const all = new Set([...this.#deps.sessions.threadIds(), ...data]);
      return { ...outcome, result: { ...result, data: [...all] } };
    }
    if (operation.op !== 'models') return outcome;
    const provider = await providerModels(engine.proxy, signal);
    return { ...outcome, result: { ...result, provider } };
  }

  /** The engine for these settings: the running one, or a new one. */
  async #ready(request: Request): Promise<OperatorEngine> {
    const { launcher, unseal } = this.#deps;
    const sealed = request.sealedSecrets;
    const apiKey = sealed === undefined ? null : ((await unseal(sealed)).providerApiKey ?? null);
    const key = settingsKey(request, apiKey, launcher.isolation);
    const stamp = await launcher.sessionsStamp();
    const present = this.#running;
    if (present !== null) {
      // New sessions are copied only between two engines; open requests are not cut off.
      const isStale = READS_STORE.has(request.operation.op) && present.stamp !== stamp;
      if (present.key === key && !(isStale && this.#open === 1)) return present.engine;
      await this.#end();
    }
    return this.#start(request, { apiKey, key, stamp });
  }

  async #start(
    { engine: spec, image }: Request,
    { apiKey, key, stamp }: { apiKey: string | null; key: string; stamp: number },
  ): Promise<OperatorEngine> {
    const { engines, launcher } = this.#deps;
    const agentEngine = engines.find(spec.name);
    if (agentEngine === null) throw new Error(`this runner has no agent engine ${spec.name}`);
    if (this.#stopped) throw new Error('the runner is stopping');
    const wait = engines.want?.(spec.name) ?? null;
    if (wait !== null) throw new Error(wait);
    await this.#awaitLease();
    const startTimeoutMs = this.#startTimeoutMs;
    const engine = await launcher.start(agentEngine, { spec, image, apiKey, startTimeoutMs });
    this.#running = { engine, key, stamp };
    engine.exited.then(
      () => this.#discard(engine),
      () => this.#discard(engine),
    );
    return engine;
  }

  /** Waits for a lease: without one the dead-man's switch would end the engine at once. */
  async #awaitLease(): Promise<void> {
    const { clock, lease } = this.#deps;
    if (lease.isLive()) return;
    const endMs = clock.monotonicMs() + LEASE_WAIT_MS;
    this.#awaitsLease = true;
    try {
      lease.ask();
      while (!lease.isLive()) {
        if (clock.monotonicMs() >= endMs) throw new Error('the runner has no lease');
        await sleep(clock, LEASE_POLL_MS);
      }
    } finally {
      this.#awaitsLease = false;
    }
  }

  /** Drops an engine that has ended or is silent; the next request starts another one. */
  #discard(engine: OperatorEngine): void {
    const end = () => (this.#running?.engine === engine ? this.#end() : Promise.resolve());
    void this.#inTurn(end);
  }

  #endWhenIdle(): void {
    this.#cancelIdle = this.#deps.clock.after(IDLE_MS, () => {
      const end = () => (this.#open === 0 ? this.#end() : Promise.resolve());
      void this.#inTurn(end);
    });
  }

  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.engine.end();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => undefined);
    return next;
  }
}

async function askLive(
  session: EngineSession,
  operation: EngineOperation,
  requestTimeoutMs: number,
): Promise<EngineOutcome> {
  if (DISTURBING.has(operation.op)) {
    return { outcome: 'in_use', message: 'an attempt works on this thread' };
  }
  if (session.ask === undefined) {
    return { outcome: 'unsupported', message: 'this engine answers no operators' };
  }
  return session.ask(operation, requestTimeoutMs);
}

function fitting(outcome: EngineOutcome): EngineOutcome {
  if (outcome.outcome !== 'answered') return outcome;
  const fits = shortenResult(outcome.result, MAX_ENGINE_RESULT_BYTES);
  if (fits !== null) return { outcome: 'answered', ...fits };
  return { outcome: 'refused', message: 'the answer of the agent engine is too long' };
}

/**
 * Key that compares settings, with the provider's key only as a digest. No engine outlives its
 * isolation.
 */
function settingsKey(
  { engine, image }: Request,
  apiKey: string | null,
  isolation: Isolation,
): string {
  const digest = createHash('sha256')
    .update(apiKey ?? '')
    .digest('hex');
  return JSON.stringify([engine, image ?? null, apiKey !== null, digest, isolation]);
}
