import type { EngineEvent } from '../../agent-engine.ts';
import type { EngineRequestError } from '../../json-rpc/engine-errors.ts';
import type { RpcClient } from '../../json-rpc/rpc-client.ts';
import type { RpcId } from '../../json-rpc/rpc-message.ts';
import type { EventQueue } from '../../session/event-queue.ts';
import { AGENT_METHODS } from '../agent-methods.ts';
import { PromptAnswer } from '../session-update.ts';
import { endOfTurn } from './end-of-turn.ts';
import type { PromptOutcome, AcpJournal } from './acp-journal.ts';

export type TurnHooks = {
  queue: EventQueue;
  /** Called before the end of a turn is reported: closes everything that is open in it. */
  closing(turnId: string, how: { cancelled: boolean }): void;
};

export type TurnTimeouts = { cancelTimeoutMs: number; joinedTimeoutMs: number };

const NO_REASON: PromptOutcome = { stopReason: 'the agent named none' };

/**
 * The running turn. It begins with this client's prompt and ends when that prompt, and every one
 * that joined it, is answered; repeated answers are ignored.
 */
export class LiveTurn {
  readonly #journal: AcpJournal;
  readonly #rpc: RpcClient;
  readonly #hooks: TurnHooks;
  readonly #timeouts: TurnTimeouts;
  #turnId: string | null = null;
  #cancelled = false;
  #adopted = false;
  /** Unanswered prompts, the first one in front. */
  #open: RpcId[] = [];
  #outcome: PromptOutcome = NO_REASON;
  #patience: NodeJS.Timeout | undefined;
  readonly #endings = new Set<() => void>();

  constructor(journal: AcpJournal, rpc: RpcClient, timeouts: TurnTimeouts, hooks: TurnHooks) {
    this.#journal = journal;
    this.#rpc = rpc;
    this.#timeouts = timeouts;
    this.#hooks = hooks;
  }

  get id(): string | null {
    return this.#turnId;
  }

  get state(): 'live' | 'cancelled' | 'none' {
    if (this.#turnId === null) return 'none';
    return this.#cancelled ? 'cancelled' : 'live';
  }

  /** Begins a turn. Throws while one of this process is running. */
  begin(turnId: string, rpcId: RpcId): void {
    if (this.#turnId !== null && !this.#adopted) {
      throw new Error(`turn ${this.#turnId} is still live; steer it instead`);
    }
    // The caller has seen the end of the previous turn, also of one that was taken over.
    this.#clear();
    this.#turnId = turnId;
    const prompts = [{ rpcId }];
    this.#journal.turnBegan({ type: 'turn', turnId, told: false, cancelled: false, prompts });
    this.#expect(turnId, rpcId);
    this.#tellBegin(turnId);
  }

  /** Adds a further prompt to the turn. */
  join(rpcId: RpcId): void {
    const turnId = this.#turnId;
    if (turnId === null) return;
    this.#journal.turnChanged(turnId, ({ prompts }) => prompts.push({ rpcId }));
    this.#expect(turnId, rpcId);
  }

  /** Drops a turn whose prompt could not be written. */
  abandon(turnId: string): void {
    if (this.#turnId !== turnId) return;
    this.#clear();
    this.#journal.turnForgotten(turnId);
  }

  /**
   * Continues the turn that a former process began, if there is one. Call it before anything is
   * read.
   */
  takeOver(): void {
    const turn = this.#journal.turn;
    if (turn === null) return;
    this.#turnId = turn.turnId;
    this.#cancelled = turn.cancelled;
    this.#adopted = true;
    if (!turn.told) this.#tellBegin(turn.turnId);
    for (const { rpcId, outcome } of turn.prompts) {
      if (outcome === undefined) this.#expect(turn.turnId, rpcId);
      else this.#outcome = outcome;
    }
    if (this.#open.length === 0) this.#end();
    else if (turn.prompts.some(({ outcome }) => outcome !== undefined)) this.#awaitJoined();
  }

  /** Restarts the wait for prompts that joined: they may last as long as the agent is active. */
  progress(): void {
    if (this.#patience !== undefined) this.#awaitJoined();
  }

  /** Cancels the turn. Resolves when it is over, whether the agent ends it in time or not. */
  async cancel(sessionId: string): Promise<void> {
    const turnId = this.#turnId;
    if (turnId === null) return;
    this.#cancelled = true;
    this.#journal.turnChanged(turnId, (turn) => (turn.cancelled = true));
    const ended = new Promise<void>((resolve) => this.#endings.add(resolve));
    const { cancelTimeoutMs } = this.#timeouts;
    const timer = setTimeout(() => {
      if (this.#turnId !== turnId) return;
      const message = `The agent did not end its turn within ${cancelTimeoutMs} ms of being told to.`;
      this.#hooks.queue.push({ kind: 'notice', level: 'warning', message });
      this.#end();
    }, cancelTimeoutMs);
    try {
      await this.#rpc.notify(AGENT_METHODS.session.cancel, { sessionId });
      await ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the tracking with the session, without reporting an end of the turn. */
  close(): void {
    this.#clear();
  }

  #expect(turnId: string, rpcId: RpcId): void {
    this.#open.push(rpcId);
    const answered = this.#rpc.expect(rpcId, AGENT_METHODS.session.prompt, {
      timeoutMs: null,
      onResult: (result) => {
        const parsed = PromptAnswer.safeParse(result);
        const { stopReason } = parsed.success ? parsed.data : { stopReason: 'none was named' };
        this.#answered(turnId, rpcId, { stopReason });
      },
      onRefusal: ({ code, reason, data }: EngineRequestError) =>
        this.#answered(turnId, rpcId, { error: { code, message: reason, data } }),
    });
    // Errors are reported through the hooks; an agent that ended reports its exit.
    answered.catch(() => undefined);
  }

  #answered(turnId: string, rpcId: RpcId, outcome: PromptOutcome): void {
    if (this.#turnId !== turnId) return;
    const isFirst = this.#open[0] === rpcId;
    this.#open = this.#open.filter((open) => open !== rpcId);
    this.#outcome = outcome;
    this.#hooks.queue.after(() =>
      this.#journal.turnChanged(turnId, ({ prompts }) => {
        const prompt = prompts.find((known) => known.rpcId === rpcId);
        if (prompt) prompt.outcome = outcome;
      }),
    );
    if (this.#open.length === 0 || this.#cancelled) this.#end();
    else if (isFirst) this.#awaitJoined();
  }

  /** Limits the wait for joined prompts, which an agent may forget to answer. */
  #awaitJoined(): void {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => this.#end(), this.#timeouts.joinedTimeoutMs);
  }

  #tellBegin(turnId: string): void {
    const threadId = this.#journal.threadId ?? '';
    this.#hooks.queue.push({ kind: 'turn_started', threadId, turnId });
    this.#hooks.queue.after(() => this.#journal.turnChanged(turnId, (turn) => (turn.told = true)));
  }

  #end(): void {
    const turnId = this.#turnId;
    if (turnId === null) return;
    const how = { cancelled: this.#cancelled };
    this.#hooks.closing(turnId, how);
    const { ended, notice } = endOfTurn(turnId, this.#outcome, how);
    const { queue } = this.#hooks;
    const warn = (message: string): EngineEvent => ({ kind: 'notice', level: 'warning', message });
    if (notice !== undefined) queue.push(warn(notice));
    queue.push(ended);
    queue.after(() => this.#journal.turnForgotten(turnId));
    this.#clear();
  }

  #clear(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#turnId = null;
    this.#cancelled = false;
    this.#adopted = false;
    this.#open = [];
    this.#outcome = NO_REASON;
    for (const ended of this.#endings) ended();
    this.#endings.clear();
  }
}
