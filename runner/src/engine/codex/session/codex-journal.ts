import * as z from 'zod';
import type { ServerAnswer } from '../../json-rpc/rpc-client.ts';
import { RpcId } from '../../json-rpc/rpc-message.ts';
import { SessionJournal } from '../../session/session-journal.ts';

/** A tool call that was started: never started again, even if it is read twice. */
const BegunToolCall = z.object({ type: z.literal('tool'), rpcId: RpcId, answered: z.boolean() });
type BegunToolCall = z.infer<typeof BegunToolCall>;
/** Answered calls that are remembered. */
const MAX_ANSWERED_CALLS = 16;

const Entry = z.discriminatedUnion('type', [
  BegunToolCall,
  z.object({ type: z.literal('engine'), version: z.string() }),
  z.object({ type: z.literal('turn'), turnId: z.string() }),
]);
type Entry = z.infer<typeof Entry>;

/** The journal of a session with a Codex `app-server`. */
export class CodexJournal extends SessionJournal {
  readonly #toolCalls = new Map<RpcId, BegunToolCall>();
  #engineVersion = '';
  #turnId: string | null = null;

  get engineVersion(): string {
    return this.#engineVersion;
  }

  /** The running turn; null: none. */
  get turnId(): string | null {
    return this.#turnId;
  }

  engineIs(version: string): void {
    this.#engineVersion = version;
    this.save();
  }

  turnBegan(turnId: string): void {
    if (this.#turnId === turnId) return;
    this.#turnId = turnId;
    this.save();
  }

  /** Removes a turn that has ended; the end of an older turn changes nothing. */
  turnEnded(turnId: string): void {
    if (this.#turnId !== turnId) return;
    this.#turnId = null;
    this.save();
  }

  /** Records a call; false when it was started before. */
  toolCallBegins(rpcId: RpcId): boolean {
    if (this.#toolCalls.has(rpcId)) return false;
    this.#toolCalls.set(rpcId, { type: 'tool', rpcId, answered: false });
    const answered = [...this.#toolCalls.values()].filter((call) => call.answered);
    for (const old of answered.slice(0, -MAX_ANSWERED_CALLS)) this.#toolCalls.delete(old.rpcId);
    this.save();
    return true;
  }

  /** Ids of calls that were started and have no answer. */
  get toolCallsOpen(): RpcId[] {
    return [...this.#toolCalls.values()].filter((call) => !call.answered).map(({ rpcId }) => rpcId);
  }

  override replyOwed(rpcId: RpcId, answer: ServerAnswer): void {
    const toolCall = this.#toolCalls.get(rpcId);
    if (toolCall !== undefined) toolCall.answered = true;
    super.replyOwed(rpcId, answer);
  }

  protected override restore(raw: unknown): void {
    const entry = Entry.parse(raw);
    if (entry.type === 'tool') this.#toolCalls.set(entry.rpcId, entry);
    else if (entry.type === 'engine') this.#engineVersion = entry.version;
    else this.#turnId = entry.turnId;
  }

  protected override entries(): Entry[] {
    const turn = this.#turnId === null ? [] : [{ type: 'turn' as const, turnId: this.#turnId }];
    const engine = { type: 'engine', version: this.#engineVersion } as const;
    return [engine, ...this.#toolCalls.values(), ...turn];
  }
}
