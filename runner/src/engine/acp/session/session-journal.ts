import * as z from 'zod';
import type { EngineJournal } from '../../agent-engine.ts';
import type { ServerAnswer } from '../../json-rpc/rpc-client.ts';
import { RpcId } from '../../json-rpc/rpc-message.ts';
import { OpenTool } from './open-tool.ts';

/** A prompt's answer: the reason why its turn stopped, or the agent's error. */
const PromptOutcome = z.union([
  z.object({ stopReason: z.string() }),
  z.object({
    error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }),
  }),
]);
export type PromptOutcome = z.infer<typeof PromptOutcome>;

/** The running turn: its first prompt and those that joined. */
const LiveTurn = z.object({
  type: z.literal('turn'),
  turnId: z.string(),
  /** Whether the consumer has seen its start. */
  told: z.boolean(),
  cancelled: z.boolean(),
  prompts: z.array(z.object({ rpcId: RpcId, outcome: PromptOutcome.optional() })),
});
export type LiveTurn = z.infer<typeof LiveTurn>;

/** A question of the agent without an answer. */
const OpenRequest = z.object({
  type: z.literal('request'),
  requestId: z.string(),
  rpcId: RpcId,
  turnId: z.string(),
  /** How people's answers become values of the agent's form. */
  fields: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      values: z.array(z.object({ label: z.string(), value: z.string() })),
    }),
  ),
});
export type OpenRequest = z.infer<typeof OpenRequest>;

const OwedReply = z.object({
  type: z.literal('reply'),
  rpcId: RpcId,
  answer: z.union([
    z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
    z.object({ result: z.unknown() }),
  ]),
});
type OwedReply = z.infer<typeof OwedReply>;

/** Closed questions that are remembered, so that one that is read twice is asked once. */
const MAX_CLOSED_REQUESTS = 16;

const Entry = z.discriminatedUnion('type', [
  OpenRequest,
  OwedReply,
  LiveTurn,
  z.object({ type: z.literal('tool'), tool: OpenTool }),
  z.object({ type: z.literal('closed'), requestIds: z.array(z.string()) }),
  z.object({ type: z.literal('agent'), version: z.string(), httpTools: z.boolean() }),
  z.object({ type: z.literal('thread'), threadId: z.string() }),
]);

/** The state of a session that a new runner process needs to continue it. */
export class SessionJournal {
  readonly #store: EngineJournal;
  readonly requests = new Map<string, OpenRequest>();
  readonly tools = new Map<string, OpenTool>();
  readonly #replies = new Map<RpcId, OwedReply>();
  #closed: string[] = [];
  #stdoutOffset = 0;
  #nextRpcId = 1;
  #agent = { version: '', httpTools: false };
  #threadId: string | null = null;
  #turn: LiveTurn | null = null;

  constructor(store: EngineJournal) {
    this.#store = store;
  }

  /** Loads the state; throws when there is none, so that the session cannot continue. */
  load(): void {
    const stored = this.#store.load();
    if (stored === null) throw new Error('the engine session has no journal to continue from');
    this.#stdoutOffset = stored.stdoutOffset;
    this.#nextRpcId = stored.nextRpcId;
    for (const raw of stored.pending) this.#restore(Entry.parse(raw));
  }

  get stdoutOffset(): number {
    return this.#stdoutOffset;
  }

  get nextRpcId(): number {
    return this.#nextRpcId;
  }

  get agent(): { version: string; httpTools: boolean } {
    return this.#agent;
  }

  get threadId(): string | null {
    return this.#threadId;
  }

  /** The turn whose end the consumer has not seen; null: none. */
  get turn(): LiveTurn | null {
    return this.#turn;
  }

  processedUpTo(stdoutOffset: number): void {
    this.#stdoutOffset = stdoutOffset;
    this.save();
  }

  idTaken(nextRpcId: number): void {
    this.#nextRpcId = nextRpcId;
    this.save();
  }

  agentIs(agent: { version: string; httpTools: boolean }): void {
    this.#agent = agent;
    this.save();
  }

  threadIs(threadId: string): void {
    this.#threadId = threadId;
    this.save();
  }

  turnBegan(turn: LiveTurn): void {
    this.#turn = turn;
    this.tools.clear();
    this.save();
  }

  /** Changes the running turn, unless another one has begun. */
  turnChanged(turnId: string, change: (turn: LiveTurn) => void): void {
    if (this.#turn?.turnId !== turnId) return;
    change(this.#turn);
    this.save();
  }

  /** Removes a turn whose end the consumer has seen. */
  turnForgotten(turnId: string): void {
    if (this.#turn?.turnId !== turnId) return;
    this.#turn = null;
    this.save();
  }

  /** Stores a question; false when it was closed before. */
  requestOpened(request: OpenRequest): boolean {
    if (this.#closed.includes(request.requestId)) return false;
    this.requests.set(request.requestId, request);
    this.save();
    return true;
  }

  requestClosed(requestId: string): boolean {
    const known = this.requests.delete(requestId);
    if (!known) return false;
    this.#closed = [...this.#closed, requestId].slice(-MAX_CLOSED_REQUESTS);
    this.save();
    return true;
  }

  get repliesOwed(): OwedReply[] {
    return [...this.#replies.values()];
  }

  replyOwed(rpcId: RpcId, answer: ServerAnswer): void {
    this.#replies.set(rpcId, { type: 'reply', rpcId, answer });
    this.save();
  }

  replySent(rpcId: RpcId): void {
    if (this.#replies.delete(rpcId)) this.save();
  }

  #restore(entry: z.infer<typeof Entry>): void {
    if (entry.type === 'request') this.requests.set(entry.requestId, entry);
    else if (entry.type === 'reply') this.#replies.set(entry.rpcId, entry);
    else if (entry.type === 'tool') this.tools.set(entry.tool.id, entry.tool);
    else if (entry.type === 'closed') this.#closed = entry.requestIds;
    else if (entry.type === 'agent') {
      this.#agent = { version: entry.version, httpTools: entry.httpTools };
    } else if (entry.type === 'thread') this.#threadId = entry.threadId;
    else this.#turn = entry;
  }

  /** Saves the state, including changes of the open tools. */
  save(): void {
    const pending: z.infer<typeof Entry>[] = [
      { type: 'agent', ...this.#agent },
      ...this.requests.values(),
      ...this.#replies.values(),
      ...[...this.tools.values()].map((tool) => ({ type: 'tool' as const, tool })),
    ];
    if (this.#closed.length > 0) pending.push({ type: 'closed', requestIds: this.#closed });
    if (this.#threadId !== null) pending.push({ type: 'thread', threadId: this.#threadId });
    if (this.#turn !== null) pending.push(this.#turn);
    const { stdoutOffset, nextRpcId } = this;
    this.#store.save({ stdoutOffset, nextRpcId, pending });
  }
}
