import * as z from 'zod';
import type { EngineJournal } from '../../agent-engine.ts';
import { RpcId } from '../../json-rpc/rpc-message.ts';
import type { ServerAnswer } from '../../json-rpc/rpc-client.ts';

/** A question of the agent without an answer. */
const OpenRequest = z.object({
  type: z.literal('request'),
  requestId: z.string(),
  rpcId: RpcId,
  turnId: z.string(),
});
export type OpenRequest = z.infer<typeof OpenRequest>;

/** An answer that may not have reached the engine. */
const OwedReply = z.object({
  type: z.literal('reply'),
  rpcId: RpcId,
  answer: z.union([
    z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
    z.object({ result: z.unknown() }),
  ]),
});
type OwedReply = z.infer<typeof OwedReply>;

/** A tool call that was started: never started again, even if it is read twice. */
const BegunToolCall = z.object({ type: z.literal('tool'), rpcId: RpcId, answered: z.boolean() });
type BegunToolCall = z.infer<typeof BegunToolCall>;
/** Answered calls that are remembered. */
const MAX_ANSWERED_CALLS = 16;

const Entry = z.discriminatedUnion('type', [
  OpenRequest,
  OwedReply,
  BegunToolCall,
  z.object({ type: z.literal('engine'), version: z.string() }),
  z.object({ type: z.literal('thread'), threadId: z.string() }),
  z.object({ type: z.literal('turn'), turnId: z.string() }),
]);

/** The state of a session that a new runner process needs to continue it. */
export class SessionJournal {
  readonly #store: EngineJournal;
  readonly requests = new Map<string, OpenRequest>();
  readonly #replies = new Map<RpcId, OwedReply>();
  readonly #toolCalls = new Map<RpcId, BegunToolCall>();
  #stdoutOffset = 0;
  #nextRpcId = 1;
  #engineVersion = '';
  #threadId: string | null = null;
  #turnId: string | null = null;

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

  get engineVersion(): string {
    return this.#engineVersion;
  }

  get threadId(): string | null {
    return this.#threadId;
  }

  /** The running turn; null: none. */
  get turnId(): string | null {
    return this.#turnId;
  }

  processedUpTo(stdoutOffset: number): void {
    this.#stdoutOffset = stdoutOffset;
    this.#save();
  }

  idTaken(nextRpcId: number): void {
    this.#nextRpcId = nextRpcId;
    this.#save();
  }

  engineIs(version: string): void {
    this.#engineVersion = version;
    this.#save();
  }

  threadIs(threadId: string): void {
    this.#threadId = threadId;
    this.#save();
  }

  turnBegan(turnId: string): void {
    if (this.#turnId === turnId) return;
    this.#turnId = turnId;
    this.#save();
  }

  /** Removes a turn that has ended; the end of an older turn changes nothing. */
  turnEnded(turnId: string): void {
    if (this.#turnId !== turnId) return;
    this.#turnId = null;
    this.#save();
  }

  requestOpened(request: OpenRequest): void {
    this.requests.set(request.requestId, request);
    this.#save();
  }

  requestClosed(requestId: string): boolean {
    const known = this.requests.delete(requestId);
    if (known) this.#save();
    return known;
  }

  /** Records a call; false when it was started before. */
  toolCallBegins(rpcId: RpcId): boolean {
    if (this.#toolCalls.has(rpcId)) return false;
    this.#toolCalls.set(rpcId, { type: 'tool', rpcId, answered: false });
    const answered = [...this.#toolCalls.values()].filter((call) => call.answered);
    for (const old of answered.slice(0, -MAX_ANSWERED_CALLS)) this.#toolCalls.delete(old.rpcId);
    this.#save();
    return true;
  }

  /** Ids of calls that were started and have no answer. */
  get toolCallsOpen(): RpcId[] {
    return [...this.#toolCalls.values()].filter((call) => !call.answered).map(({ rpcId }) => rpcId);
  }

  get repliesOwed(): OwedReply[] {
    return [...this.#replies.values()];
  }

  replyOwed(rpcId: RpcId, answer: ServerAnswer): void {
    this.#replies.set(rpcId, { type: 'reply', rpcId, answer });
    const toolCall = this.#toolCalls.get(rpcId);
    if (toolCall !== undefined) toolCall.answered = true;
    this.#save();
  }

  replySent(rpcId: RpcId): void {
    if (this.#replies.delete(rpcId)) this.#save();
  }

  #restore(entry: z.infer<typeof Entry>): void {
    if (entry.type === 'request') this.requests.set(entry.requestId, entry);
    else if (entry.type === 'reply') this.#replies.set(entry.rpcId, entry);
    else if (entry.type === 'tool') this.#toolCalls.set(entry.rpcId, entry);
    else if (entry.type === 'engine') this.#engineVersion = entry.version;
    else if (entry.type === 'thread') this.#threadId = entry.threadId;
    else this.#turnId = entry.turnId;
  }

  #save(): void {
    const pending: z.infer<typeof Entry>[] = [
      { type: 'engine', version: this.#engineVersion },
      ...this.requests.values(),
      ...this.#replies.values(),
      ...this.#toolCalls.values(),
    ];
    if (this.#threadId !== null) pending.push({ type: 'thread', threadId: this.#threadId });
    if (this.#turnId !== null) pending.push({ type: 'turn', turnId: this.#turnId });
    this.#store.save({
      stdoutOffset: this.#stdoutOffset,
      nextRpcId: this.#nextRpcId,
      pending,
    });
  }
}
