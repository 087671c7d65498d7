import type {
  EngineEvent,
  TokenTotals,
  TurnFailure,
  TurnInput,
} from '../../../runner/src/engine/agent-engine.ts';
import type { Random } from './random.ts';
import type { SimContainer } from './sim-docker.ts';

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
  /** How a request of an attempt fails while its account is refused; null while it is answered. */
  providerFailure(attemptId: string): TurnFailure | null;
  /** The same in the middle of a turn, where accounts have quotas. */
  quotaFailure(attemptId: string): TurnFailure | null;
  /** An attempt has used tokens of its account. */
  used(attemptId: string, tokens: number): void;
  /** The model has answered: somebody pays for this run. */
  paid(lease: { attemptId: string; epoch: number }): void;
  /** Absolute totals by thread: they go on when a thread is resumed. */
  threadTotals: Map<string, number>;
};

/** The agent inside one container. It lives with the container, not with the runner process. */
export class SimAgent {
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
    const failure = this.#world.providerFailure(this.#container.owner.attemptId);
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
      // In the middle of a turn an account may be used up.
      const failure = this.#world.quotaFailure(this.#container.owner.attemptId);
      if (failure !== null) this.#endTurn('failed', failure);
      else if (stepsLeft > 1) this.#work(stepsLeft - 1);
      else this.#finish();
    });
  }

  #report(): void {
    const used = this.#behaviour === 'burn' ? 9_000 : 200;
    const total = (this.#world.threadTotals.get(this.threadId) ?? 0) + used;
    this.#world.threadTotals.set(this.threadId, total);
    this.#world.used(this.#container.owner.attemptId, used);
    this.#world.paid(this.#container.owner);
    this.#say({ kind: 'stats', totals: tokens(total), last: tokens(used) });
  }

  #finish(): void {
    switch (this.#behaviour) {
      case 'done':
      case 'long':
        return this.#message(
          `${this.#container.owner.attemptId} is good.\n\nSWITCHYARD_STATUS: DONE`,
        );
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

  get openRequests(): string[] {
    return this.#asked === null ? [] : [this.#asked];
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

function tokens(total: number): TokenTotals {
  return { input: total - 10, cachedInput: 0, output: 10, reasoning: 0, total };
}
