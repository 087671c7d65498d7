import type { EngineSession } from '../../engine/agent-engine.ts';
import type { AttemptContext } from '../attempt-deps.ts';

type Words = { messageId: string; text: string };

/** Messages of people that the engine accepts only with a new turn, until one begins. */
export class QueuedMessages {
  readonly #context: AttemptContext;
  readonly #waiting = new Map<string, Words>();
  /** Ids that were given with a turn; the control plane repeats those not yet confirmed. */
  readonly #given = new Set<string>();

  constructor(context: AttemptContext) {
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * Sends a message to the live turn, or keeps it for the next one. True once the engine has it.
   */
  async steer(session: EngineSession, queued: Words): Promise<boolean> {
    const { messageId: clientMessageId, text } = queued;
    if (this.#given.has(clientMessageId)) return true;
    if (this.#waiting.has(clientMessageId)) return false;
    const outcome = await session.steer({ text, clientMessageId });
    if (outcome !== 'queued') return outcome === 'joined';
    this.#waiting.set(clientMessageId, queued);
    const message = 'the agent takes no words during a turn; it is told with its next one';
    await this.#context.recorder.event('notice', { level: 'info', message });
    return false;
  }

  /** The text of a new turn, with all waiting messages. */
  textWith(text: string | null): string {
    const texts = [...this.#waiting.values()].map((one) => one.text);
    if (texts.length === 0) return text ?? '';
    const lead = text === null ? [] : [text, '', '---'];
    return [
      ...lead,
      'While you worked, a person wrote this about the task. Take it into account; when everything is',
      'done and checked, finish as before.',
      ...texts.flatMap((one) => ['', one]),
    ].join('\n');
  }

  /** Confirms the messages with which a turn began. */
  async given(): Promise<void> {
    // Messages that arrive meanwhile wait for the next turn.
    for (const { messageId, text } of Array.from(this.#waiting.values())) {
      this.#waiting.delete(messageId);
      this.#given.add(messageId);
      const item = { type: 'user_message' as const, text, clientId: messageId };
      await this.#context.recorder.event('item', { state: 'ended', itemId: messageId, item });
    }
  }
}
