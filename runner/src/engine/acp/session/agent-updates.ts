import type { EngineEvent } from '../../agent-engine.ts';
import { truncateText } from '../../session/truncate-text.ts';
import { ContentChunk, PlanUpdate, SessionUpdate, ToolCallFields } from '../session-update.ts';
import { OpenText } from './open-text.ts';
import type { ToolCalls } from './tool-calls.ts';

const MAX_PIECE_BYTES = 64 * 1024;

type To = {
  tell(event: EngineEvent): void;
  /**
   * Tells the event queue that all events so far come from output before the line that is being
   * read.
   */
  markBefore(): void;
  /** Position in the agent's output where the current line begins. */
  lineStart(): number;
};

const STREAMS: Record<string, OpenText['stream'] | undefined> = {
  agent_message_chunk: 'message',
  agent_thought_chunk: 'reasoning',
};

/**
 * Converts updates of a session into events: pieces of text at once, complete texts at their end.
 */
export class AgentUpdates {
  readonly #tools: ToolCalls;
  readonly #to: To;
  #open: OpenText | null = null;

  constructor(tools: ToolCalls, to: To) {
    this.#tools = tools;
    this.#to = to;
  }

  /**
   * While a text is open, a later process must read from the position of its first piece, because
   * its beginning is stored nowhere else.
   */
  get isTextOpen(): boolean {
    return this.#open !== null;
  }

  /** Handles an update; false when it has an unknown form. */
  received(params: unknown, turnId: string): boolean {
    const parsed = SessionUpdate.safeParse(params);
    if (!parsed.success) return false;
    const { update } = parsed.data;
    const stream = STREAMS[update.sessionUpdate];
    if (stream !== undefined) return this.#piece(stream, update, turnId);
    switch (update.sessionUpdate) {
      case 'tool_call':
      case 'tool_call_update': {
        const call = ToolCallFields.safeParse(update);
        if (!call.success) return false;
        this.closeText();
        this.#tools.updated(call.data);
        return true;
      }
      case 'plan':
        return this.#plan(update, turnId);
      default:
        // Usage, commands and modes are not needed; the proxy counts tokens.
        return true;
    }
  }

  /** Ends the open text: whatever follows does not belong to it. */
  closeText(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const { itemId, stream } = open;
    const text = truncateText(open.text);
    if (text.trim() !== '') {
      const type = stream === 'message' ? ('message' as const) : ('reasoning' as const);
      this.#to.tell({ kind: 'item_ended', itemId, item: { type, text } });
    }
    this.#to.markBefore();
  }

  #piece(stream: OpenText['stream'], update: unknown, turnId: string): boolean {
    const chunk = ContentChunk.safeParse(update);
    if (!chunk.success) return false;
    const messageId = chunk.data.messageId ?? null;
    const text = chunk.data.content.text ?? '';
    const open = this.#open;
    if (open !== null && (open.stream !== stream || open.messageId !== messageId)) this.closeText();
    if (text === '') return true;
    this.#open ??= new OpenText(stream, `${turnId}.${this.#to.lineStart()}`, messageId);
    this.#open.append(text);
    const piece = truncateText(text, MAX_PIECE_BYTES);
    this.#to.tell({ kind: 'delta', itemId: this.#open.itemId, stream, text: piece });
    return true;
  }

  #plan(update: unknown, turnId: string): boolean {
    const plan = PlanUpdate.safeParse(update);
    if (!plan.success) return false;
    this.closeText();
    const steps = plan.data.entries.map(({ content, status }) => `[${status}] ${content}`);
    const item = { type: 'plan' as const, text: truncateText(steps.join('\n')) };
    if (steps.length > 0) this.#to.tell({ kind: 'item_ended', itemId: `plan-${turnId}`, item });
    return true;
  }
}
