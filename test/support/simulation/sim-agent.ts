import type {
  AgentEngine,
  EngineEvent,
  EngineLaunch,
  EngineSession,
  OpenSession,
  TokenTotals,
  TurnFailure,
  TurnInput,
} from '../../../runner/src/engine/agent-engine.ts';
import type { Random } from './random.ts';
import type { ProcessClock } from './sim-host.ts';
import { containerBehind, type SimContainer } from './sim-docker.ts';

export type Behaviour =
  | 'done'
  | 'no_marker'
  | 'blocked'
  | 'fail'
  | 'oom'
  | 'crash'
  | 'hang'
  | 'ask'
  | 'long'
  | 'burn';

/** What the agents of a simulated world share: scripts, thread totals and the model provider. */
export type AgentWorld = {
  behaviourOf(attemptId: string): { behaviour: Behaviour; random: Random };
  /** How a turn fails while the provider is down; null while it answers. */
  providerFailure(): TurnFailure | null;
  /** Absolute totals by thread: they go on when a thread is resumed. */
  threadTotals: Map<string, number>;
};

const AGENTS = new WeakMap<SimContainer, SimAgent>();

/** The agent inside one container. It lives with the container, not with the runner process. */
class SimAgent {
  readonly #container: SimContainer;
  readonly #world: AgentWorld;
  readonly #behaviour: Behaviour;
  readonly #random: Random;
  threadId = '';
  #turn = 0;
  #turnLive = false;
  #asked: string | null = null;

  constructor(container: SimContainer, world: AgentWorld) {
    this.#container = container;
    this.#world = world;
    const { behaviour, random } = world.behaviourOf(container.owner.attemptId);
    this.#behaviour = behaviour;
    this.#random = random;
  }

  startTurn(): string {
    this.#turn += 1;
    this.#turnLive = true;
    const { threadId } = this;
    this.#say({ kind: 'turn_started', threadId, turnId: this.#turnId() });
    const failure = this.#world.providerFailure();
    if (failure !== null) {
      this.#later(this.#random.int(500, 4_000), () => this.#endTurn('failed', failure));
      return this.#turnId();
    }
    const steps = this.#behaviour === 'long' ? this.#random.int(4, 9) : this.#random.int(1, 4);
    this.#work(steps);
    return this.#turnId();
  }

  #turnId(): string {
    return `turn-${this.#turn}`;
  }

  #say(event: EngineEvent): void {
    this.#container.say(event);
  }

  #later(delayMs: number, run: () => void): void {
    this.#container.host.after(delayMs, () => {
      if (this.#container.running) run();
    });
  }

  /** Some items and a report of usage, then the end that the script wants. */
  #work(stepsLeft: number): void {
    const delayMs =
      this.#behaviour === 'long' ? this.#random.int(5_000, 12_000) : this.#random.int(300, 4_000);
    this.#later(delayMs, () => {
      if (!this.#turnLive) return;
      const itemId = `i${this.#turn}.${stepsLeft}`;
      this.#say({
        kind: 'item_ended',
        itemId,
        item: { type: 'command', command: 'make', status: 'completed' },
      });
      this.#report();
      if (stepsLeft > 1) this.#work(stepsLeft - 1);
      else this.#finish();
    });
  }

  #report(): void {
    const total =
      (this.#world.threadTotals.get(this.threadId) ?? 0) +
      (this.#behaviour === 'burn' ? 9_000 : 200);
    this.#world.threadTotals.set(this.threadId, total);
    const totals: TokenTotals = {
      input: total - 10,
      cachedInput: 0,
      output: 10,
      reasoning: 0,
      total,
    };
    this.#say({ kind: 'stats', totals });
  }

  #finish(): void {
    switch (this.#behaviour) {
      case 'done':
      case 'long':
        return this.#message('All good.\n\nSWITCHYARD_STATUS: DONE');
      case 'blocked':
        return this.#message('I need a key.\n\nSWITCHYARD_STATUS: BLOCKED');
      case 'no_marker':
      case 'burn':
        return this.#message('Some of it is done.');
      case 'fail':
        return this.#endTurn('failed', { kind: 'agent_error', message: 'the agent fell over' });
      case 'oom':
        return this.#die(true);
      case 'crash':
        return this.#die(false);
      case 'hang':
        return undefined;
      case 'ask':
        return this.#ask();
    }
  }

  #message(text: string): void {
    this.#say({ kind: 'item_ended', itemId: `m${this.#turn}`, item: { type: 'message', text } });
    this.#endTurn('completed');
  }

  #endTurn(status: 'completed' | 'failed' | 'interrupted', failure?: TurnFailure): void {
    if (!this.#turnLive) return;
    this.#turnLive = false;
    const said = failure === undefined ? {} : { failure };
    this.#say({ kind: 'turn_ended', turnId: this.#turnId(), status, ...said });
  }

  #die(oom: boolean): void {
    this.#container.end({ exitCode: oom ? 137 : 1, signal: null, oom });
  }

  #ask(): void {
    this.#asked = `ask-${this.#turn}`;
    const questions = [
      { id: 'q', header: 'Which', question: 'Which one?', options: [], isSecret: false },
    ];
    this.#say({ kind: 'request', requestId: this.#asked, turnId: this.#turnId(), questions });
  }

  answer(requestId: string): boolean {
    if (this.#asked !== requestId) return false;
    this.#asked = null;
    this.#say({ kind: 'request_resolved', requestId });
    this.#later(this.#random.int(200, 2_000), () =>
      this.#message('Thanks.\n\nSWITCHYARD_STATUS: DONE'),
    );
    return true;
  }

  steer({ text, clientMessageId }: TurnInput): boolean {
    if (!this.#turnLive) return false;
    const item = { type: 'user_message' as const, text, clientId: clientMessageId };
    this.#say({ kind: 'item_ended', itemId: clientMessageId, item });
    return true;
  }

  interrupt(): void {
    this.#endTurn('interrupted');
  }
}

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

  async steer(input: TurnInput): Promise<boolean> {
    await this.#turnaround();
    return this.#agent.steer(input);
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

/** An agent engine without an agent: scripts in simulated containers. */
export class SimAgentEngine implements AgentEngine {
  readonly name = 'codex';
  readonly #world: AgentWorld;
  /** Of the runner's process: nothing is asked of an agent by a process that is gone. */
  readonly #clock: ProcessClock;

  constructor(world: AgentWorld, clock: ProcessClock) {
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
