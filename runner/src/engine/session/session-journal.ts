import * as z from 'zod';
import type { EngineJournal } from '../agent-engine.ts';
import type { ServerAnswer } from '../json-rpc/rpc-client.ts';
import { RpcId } from '../json-rpc/rpc-message.ts';

/** A question of the agent without an answer. */
const OpenRequest = z.object({
  type: z.literal('request'),
  requestId: z.string(),
  rpcId: RpcId,
  turnId: z.string(),
  /** How people's answers become values of a form; empty where the engine has no forms. */
  fields: z
    .array(
      z.object({
        id: z.string(),
        type: z.string(),
        values: z.array(z.object({ label: z.string(), value: z.string() })),
      }),
    )
    .default([]),
});
export type OpenRequest = z.infer<typeof OpenRequest>;

/** An answer that may not have reached the engine. */
const OwedReply = z.object({
  type: z.literal('reply'),
  rpcId: RpcId,
  /** The question that is reported as resolved once its answer is written. */
  requestId: z.string().optional(),
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
  z.object({ type: z.literal('closed'), requestIds: z.array(z.string()) }),
  z.object({ type: z.literal('thread'), threadId: z.string() }),
]);

/**
 * The state of a session that a new runner process needs to continue it. The adapter of an engine
 * adds entries of its own.
 */
export abstract class SessionJournal {
  readonly #store: EngineJournal;
  readonly requests = new Map<string, OpenRequest>();
  readonly #replies = new Map<RpcId, OwedReply>();
  #closed: string[] = [];
  #stdoutOffset = 0;
  #nextRpcId = 1;
  #threadId: string | null = null;

  constructor(store: EngineJournal) {
    this.#store = store;
  }

  /** Takes over an entry of the adapter; throws for one of unknown form. */
  protected abstract restore(entry: unknown): void;
  /** The adapter's entries. */
  protected abstract entries(): { type: string }[];

  /** Loads the state; throws when there is none, so that the session cannot continue. */
  load(): void {
    const stored = this.#store.load();
    if (stored === null) throw new Error('the engine session has no journal to continue from');
    this.#stdoutOffset = stored.stdoutOffset;
    this.#nextRpcId = stored.nextRpcId;
    for (const raw of stored.pending) {
      const { data: entry } = Entry.safeParse(raw);
      if (entry === undefined) this.restore(raw);
      else if (entry.type === 'request') this.requests.set(entry.requestId, entry);
      else if (entry.type === 'reply') this.#replies.set(entry.rpcId, entry);
      else if (entry.type === 'closed') this.#closed = entry.requestIds;
      else this.#threadId = entry.threadId;
    }
  }

  /** Saves the state; the adapter calls it after a change of its entries. */
  save(): void {
    const common: z.infer<typeof Entry>[] = [...this.requests.values(), ...this.#replies.values()];
    if (this.#closed.length > 0) common.push({ type: 'closed', requestIds: this.#closed });
    if (this.#threadId !== null) common.push({ type: 'thread', threadId: this.#threadId });
    const pending = [...this.entries(), ...common];
    const { stdoutOffset, nextRpcId } = this;
    this.#store.save({ stdoutOffset, nextRpcId, pending });
  }

  get stdoutOffset(): number {
    return this.#stdoutOffset;
  }

  get nextRpcId(): number {
    return this.#nextRpcId;
  }

  get threadId(): string | null {
    return this.#threadId;
  }

  processedUpTo(stdoutOffset: number): void {
    this.#stdoutOffset = stdoutOffset;
    this.save();
  }

  idTaken(nextRpcId: number): void {
    this.#nextRpcId = nextRpcId;
    this.save();
  }

  threadIs(threadId: string): void {
    this.#threadId = threadId;
    this.save();
  }

  /** Stores a question; false when it was closed before. */
  requestOpened(request: OpenRequest): boolean {
    if (this.#closed.includes(request.requestId)) return false;
    this.requests.set(request.requestId, request);
    this.save();
    return true;
  }

  /** Removes a question that needs no answer any more. */
  requestClosed({ requestId }: Pick<OpenRequest, 'requestId'>): void {
    this.requests.delete(requestId);
    this.#closed = [...this.#closed, requestId].slice(-MAX_CLOSED_REQUESTS);
    this.save();
  }

  /** Removes a question and, in the same write, stores the answer that the engine is owed. */
  requestAnswered({ requestId, rpcId }: OpenRequest, answer: ServerAnswer): void {
    this.#replies.set(rpcId, { type: 'reply', rpcId, requestId, answer });
    this.requestClosed({ requestId });
  }

  /** Restores a question whose answer could not be written. */
  requestReopened(request: OpenRequest): void {
    this.#closed = this.#closed.filter((id) => id !== request.requestId);
    this.requests.set(request.requestId, request);
    this.#replies.delete(request.rpcId);
    this.save();
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
}
