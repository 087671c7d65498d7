import type {
  AgentEngine,
  EngineEvent,
  EngineLaunch,
  EngineSession,
  OpenSession,
  SteerOutcome,
  TurnInput,
} from '../../../runner/src/engine/agent-engine.ts';
import { codexEngine } from '../../../runner/src/engine/codex/codex-engine.ts';
import { type AgentWorld, SimAgent } from './sim-agent.ts';
import { containerBehind, type SimContainer } from './sim-docker.ts';
import type { ProcessClock } from './sim-host.ts';

/** Speaks to the agent in a container as an engine adapter does: output is read from an offset. */
class SimSession implements EngineSession {
  readonly engineVersion = '0.0.0-simulated';
  readonly #container: SimContainer;
  readonly #agent: SimAgent;
  readonly #journal: OpenSession['journal'];
  readonly #clock: ProcessClock;
  #offset: number;
  #yielded = false;
  #closed = false;
  #wake: () => void = () => undefined;

  constructor(
    container: SimContainer,
    agent: SimAgent,
    clock: ProcessClock,
    { journal, adopted }: OpenSession,
  ) {
    this.#clock = clock;
    this.#container = container;
    this.#agent = agent;
    this.#journal = journal;
    this.#offset = adopted ? (journal.load()?.stdoutOffset ?? 0) : 0;
    this.#save();
    container.watchers.add(() => this.#wake());
  }

  get events(): AsyncIterable<EngineEvent> {
    return { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) };
  }

  get openRequests(): string[] {
    return this.#agent.openRequests;
  }

  async startThread(): Promise<{ threadId: string }> {
    await this.#turnaround();
    this.#agent.threadId = `thread-${this.#container.owner.attemptId}-${this.#container.owner.epoch}`;
    return { threadId: this.#agent.threadId };
  }

  async resumeThread({
    threadId,
  }: {
    threadId: string;
  }): Promise<{ threadId: string; resumed: boolean }> {
    await this.#turnaround();
    this.#agent.threadId = threadId;
    return { threadId, resumed: true };
  }

  async startTurn(): Promise<{ turnId: string }> {
    await this.#turnaround();
    return { turnId: this.#agent.startTurn() };
  }

  async steer(input: TurnInput): Promise<SteerOutcome> {
    await this.#turnaround();
    return this.#agent.steer(input) ? 'joined' : 'no_turn';
  }

  async interrupt(): Promise<void> {
    await this.#turnaround();
    this.#agent.interrupt();
  }

  async answer(requestId: string): Promise<boolean> {
    await this.#turnaround();
    return this.#agent.answer(requestId);
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #turnaround(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#clock.after(20, () => {
        if (this.#container.running && !this.#closed) resolve();
        else reject(new Error('the engine has ended'));
      });
    });
  }

  #save(): void {
    this.#journal.save({ stdoutOffset: this.#offset, nextRpcId: 1, pending: [] });
  }

  /** The offset is kept once the reader is done with an event: when it asks for the next. */
  async #next(): Promise<IteratorResult<EngineEvent>> {
    if (this.#yielded) {
      this.#yielded = false;
      this.#offset += 1;
      this.#save();
    }
    for (;;) {
      const event = this.#container.log[this.#offset];
      if (this.#closed) return { done: true, value: undefined };
      if (event !== undefined) {
        this.#yielded = true;
        return { done: false, value: event };
      }
      if (!this.#container.running) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

const AGENTS = new WeakMap<SimContainer, SimAgent>();

/** An agent engine without an agent: scripts in simulated containers. */
export class SimAgentEngine implements AgentEngine {
  readonly name: string;
  readonly capabilities = codexEngine.capabilities;
  readonly tools = 'native';
  readonly #world: AgentWorld;
  /** Of the runner's process: nothing is asked of an agent by a process that is gone. */
  readonly #clock: ProcessClock;

  constructor(name: string, world: AgentWorld, clock: ProcessClock) {
    this.name = name;
    this.#world = world;
    this.#clock = clock;
  }

  launch(): EngineLaunch {
    return { argv: ['agent'], env: {}, files: {}, sessionsFolder: 'sessions' };
  }

  async open(options: OpenSession): Promise<EngineSession> {
    const container = containerBehind(options.stdio);
    await new Promise<void>((resolve) => this.#clock.after(50, resolve));
    if (!container.running) throw new Error('the engine has ended');
    const agent = AGENTS.get(container) ?? new SimAgent(container, this.#world);
    AGENTS.set(container, agent);
    return new SimSession(container, agent, this.#clock, options);
  }
}
