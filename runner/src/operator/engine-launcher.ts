import type { EngineTestOutcome } from '@switchyard/shared/protocol/engine-test';
import type { Isolation } from '@switchyard/shared/sandbox/isolation';
import { pinnedEngine } from '../container/switching-engine.ts';
import type { AgentEngine } from '../engine/agent-engine.ts';
import { keptSessionsStamp } from './operator-home.ts';
import {
  endOperatorEngines,
  type OperatorEngine,
  type OperatorEngineDeps,
  type OperatorEngineStart,
  startOperatorEngine,
} from './start-operator-engine.ts';
import { endTestTurns, runTestTurn, type TestTurn } from './test-turn.ts';

/** Starts engines outside of attempts, each in the isolation that new attempts get at that time. */
export class EngineLauncher {
  readonly #deps: OperatorEngineDeps;
  #epoch = 0;

  constructor(deps: OperatorEngineDeps) {
    this.#deps = deps;
  }

  /** Isolation of the next engine. */
  get isolation(): Isolation {
    return this.#deps.containers.isolation;
  }

  /** Changes whenever an attempt leaves sessions, which a started engine does not have. */
  sessionsStamp(): Promise<number> {
    return keptSessionsStamp(this.#deps.settings.dataDir);
  }

  start(engine: AgentEngine, wanted: OperatorEngineStart): Promise<OperatorEngine> {
    return startOperatorEngine(this.#pinned(), engine, { ...wanted, epoch: this.#nextEpoch() });
  }

  test(engine: AgentEngine, wanted: TestTurn, signal: AbortSignal): Promise<EngineTestOutcome> {
    const turn = { ...wanted, epoch: this.#nextEpoch() };
    return runTestTurn(this.#pinned(), engine, turn, signal);
  }

  /** Ends engines that a former process left. */
  async endFormer(): Promise<void> {
    await endOperatorEngines(this.#deps);
    await endTestTurns(this.#deps);
  }

  #pinned(): OperatorEngineDeps {
    return { ...this.#deps, containers: pinnedEngine(this.#deps.containers) };
  }

  #nextEpoch(): number {
    this.#epoch += 1;
    return this.#epoch;
  }
}
