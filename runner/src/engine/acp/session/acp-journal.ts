import * as z from 'zod';
import { RpcId } from '../../json-rpc/rpc-message.ts';
import { SessionJournal } from '../../session/session-journal.ts';
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
const StoredTurn = z.object({
  type: z.literal('turn'),
  turnId: z.string(),
  /** Whether the consumer has seen its start. */
  told: z.boolean(),
  cancelled: z.boolean(),
  prompts: z.array(z.object({ rpcId: RpcId, outcome: PromptOutcome.optional() })),
});
type StoredTurn = z.infer<typeof StoredTurn>;

const Entry = z.discriminatedUnion('type', [
  StoredTurn,
  z.object({ type: z.literal('tool'), tool: OpenTool }),
  z.object({ type: z.literal('agent'), version: z.string(), httpTools: z.boolean() }),
]);
type Entry = z.infer<typeof Entry>;

/** The journal of a session with an agent of the Agent Client Protocol. */
export class AcpJournal extends SessionJournal {
  /** Open tool calls; whoever changes one calls `save`. */
  readonly tools = new Map<string, OpenTool>();
  #agent = { version: '', httpTools: false };
  #turn: StoredTurn | null = null;

  get agent(): { version: string; httpTools: boolean } {
    return this.#agent;
  }

  /** The turn whose end the consumer has not seen; null: none. */
  get turn(): StoredTurn | null {
    return this.#turn;
  }

  agentIs(agent: { version: string; httpTools: boolean }): void {
    this.#agent = agent;
    this.save();
  }

  turnBegan(turn: StoredTurn): void {
    this.#turn = turn;
    this.tools.clear();
    this.save();
  }

  /** Changes the running turn, unless another one has begun. */
  turnChanged(turnId: string, change: (turn: StoredTurn) => void): void {
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

  protected override restore(raw: unknown): void {
    const entry = Entry.parse(raw);
    if (entry.type === 'tool') this.tools.set(entry.tool.id, entry.tool);
    else if (entry.type === 'turn') this.#turn = entry;
    else this.#agent = { version: entry.version, httpTools: entry.httpTools };
  }

  protected override entries(): Entry[] {
    const tools = [...this.tools.values()].map((tool) => ({ type: 'tool' as const, tool }));
    const turn = this.#turn === null ? [] : [this.#turn];
    return [{ type: 'agent', ...this.#agent }, ...tools, ...turn];
  }
}
