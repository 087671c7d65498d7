import type {
  AgentEngine,
  EngineEvent,
  EngineHomeSpec,
  EngineSession,
  OpenSession,
  TokenTotals,
  SteerOutcome,
  TurnInput,
} from '../../engine/agent-engine.ts';
import { codexEngine } from '../../engine/codex/codex-engine.ts';

/** What the scripted agent does in one turn; `say` puts events out, and it may wait for answers. */
export type TurnScript = (turn: FakeTurn) => Promise<void> | void;

export const totals: TokenTotals = {
  input: 10,
  cachedInput: 1,
  output: 5,
  reasoning: 2,
  total: 15,
};

export class FakeTurn {
  readonly session: FakeSession;
  readonly input: TurnInput;
  readonly number: number;
  constructor(session: FakeSession, input: TurnInput, number: number) {
    this.session = session;
    this.input = input;
    this.number = number;
  }

  say(event: EngineEvent): void {
    this.session.push(event);
  }

  message(text: string): void {
    this.say({ kind: 'item_ended', itemId: `m${this.number}`, item: { type: 'message', text } });
  }

  end(
    status: 'completed' | 'failed' = 'completed',
    failure?: Extract<EngineEvent, { kind: 'turn_ended' }>['failure'],
  ): void {
    const turnId = `turn${this.number}`;
    this.say({ kind: 'turn_ended', turnId, status, ...(failure === undefined ? {} : { failure }) });
  }
}

export class FakeSession implements EngineSession {
  readonly engineVersion = '0.0.0-fake';
  readonly turns: FakeTurn[] = [];
  readonly steers: TurnInput[] = [];
  readonly answers: { requestId: string; answers: Record<string, string[]> }[] = [];
  readonly open: OpenSession;
  interrupts = 0;
  /** Words are not taken during a turn. */
  queuesMessage = false;
  resumed: string | null = null;
  #queue: EngineEvent[] = [];
  #wake: (() => void) | null = null;
  #ended = false;
  readonly #script: TurnScript;
  #offset = 0;
  readonly #open = new Set<string>();

  constructor(open: OpenSession, script: TurnScript) {
    this.open = open;
    this.#script = script;
    const stored = open.adopted ? open.journal.load() : null;
    this.#offset = stored?.stdoutOffset ?? 0;
    for (const requestId of stored?.pending ?? []) this.#open.add(String(requestId));
    this.#save();
    void open.stdio.exited.then(() => this.close());
  }

  get events(): AsyncIterable<EngineEvent> {
    return { [Symbol.asyncIterator]: () => ({ next: () => this.#next() }) };
  }

  get openRequests(): string[] {
    return [...this.#open];
  }

  push(event: EngineEvent): void {
    if (event.kind === 'request') this.#open.add(event.requestId);
    if (event.kind === 'request_resolved') this.#open.delete(event.requestId);
    this.#queue.push(event);
    this.#wake?.();
  }

  #threads = 0;

  async startThread(): Promise<{ threadId: string }> {
    this.#threads += 1;
    return { threadId: `thread-${this.#threads}` };
  }

  async resumeThread({
    threadId,
  }: {
    threadId: string;
  }): Promise<{ threadId: string; resumed: boolean }> {
    this.resumed = threadId;
    return { threadId, resumed: true };
  }

  async startTurn(input: TurnInput): Promise<{ turnId: string }> {
    const turn = new FakeTurn(this, input, this.turns.length + 1);
    this.turns.push(turn);
    this.push({ kind: 'turn_started', threadId: 'thread-1', turnId: `turn${turn.number}` });
    void Promise.resolve(this.#script(turn)).catch(() => turn.end('failed'));
    return { turnId: `turn${turn.number}` };
  }

  async steer(input: TurnInput): Promise<SteerOutcome> {
    this.steers.push(input);
    if (this.queuesMessage) return 'queued';
    this.push({
      kind: 'item_ended',
      itemId: input.clientMessageId,
      item: { type: 'user_message', text: input.text, clientId: input.clientMessageId },
    });
    return 'joined';
  }

  async interrupt(): Promise<void> {
    this.interrupts += 1;
  }

  async answer(requestId: string, answers: Record<string, string[]>): Promise<boolean> {
    this.answers.push({ requestId, answers });
    this.push({ kind: 'request_resolved', requestId });
    return true;
  }

  close(): void {
    this.#ended = true;
    this.#wake?.();
  }

  #save(): void {
    const pending = this.openRequests;
    this.open.journal.save({ stdoutOffset: this.#offset, nextRpcId: 1, pending });
  }

  async #next(): Promise<IteratorResult<EngineEvent>> {
    for (;;) {
      const event = this.#queue.shift();
      if (event !== undefined) {
        this.#offset += 1;
        this.#save();
        return { done: false, value: event };
      }
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** An agent engine whose agent follows a script. */
export class FakeAgentEngine implements AgentEngine {
  readonly name = 'codex';
  capabilities = codexEngine.capabilities;
  tools: AgentEngine['tools'] = 'native';
  readonly sessions: FakeSession[] = [];
  script: TurnScript = (turn) => {
    turn.message('All good.\n\nSWITCHYARD_STATUS: DONE');
    turn.end();
  };

  readonly launches: EngineHomeSpec[] = [];
  /** Folders of a repository that this engine would run programs from. */
  hiddenFolders: string[] = [];

  launch(spec: EngineHomeSpec) {
    this.launches.push(spec);
    return {
      argv: ['fake'],
      env: {},
      files: { 'codex/config.toml': 'x = 1\n' },
      sessionsFolder: 'codex/sessions',
      hiddenFolders: this.hiddenFolders,
    };
  }

  async open(options: OpenSession): Promise<EngineSession> {
    const session = new FakeSession(options, (turn) => this.script(turn));
    this.sessions.push(session);
    return session;
  }
}
