import type { EngineEvent } from '../agent-engine.ts';
import type { ServerAnswer } from '../json-rpc/rpc-client.ts';
import type { RpcId } from '../json-rpc/rpc-message.ts';
import type { SessionJournal } from './session-journal.ts';

/**
 * Answers to the engine's requests, stored until written, so that a crash leaves none unanswered.
 */
export class OwedReplies {
  readonly #journal: SessionJournal;
  readonly #reply: (rpcId: RpcId, answer: ServerAnswer) => Promise<void>;
  readonly #tell: (event: EngineEvent) => void;

  constructor(
    journal: SessionJournal,
    session: {
      reply: (rpcId: RpcId, answer: ServerAnswer) => Promise<void>;
      tell: (event: EngineEvent) => void;
    },
  ) {
    this.#journal = journal;
    this.#reply = session.reply;
    this.#tell = session.tell;
  }

  /** Sends the answers that a dead runner owed the engine, and reports their questions. */
  sendAgain(): void {
    for (const { rpcId, answer, requestId } of this.#journal.repliesOwed)
      this.#deliver(rpcId, answer, () => {
        if (requestId !== undefined) this.#tell({ kind: 'request_resolved', requestId });
      });
  }

  send(rpcId: RpcId, answer: ServerAnswer): void {
    this.#journal.replyOwed(rpcId, answer);
    this.#deliver(rpcId, answer, () => undefined);
  }

  /** Writes an answer that the journal has; rejects when it cannot be written and is still owed. */
  async write(rpcId: RpcId, answer: ServerAnswer): Promise<void> {
    await this.#reply(rpcId, answer);
    this.#journal.replySent(rpcId);
  }

  #deliver(rpcId: RpcId, answer: ServerAnswer, delivered: () => void): void {
    this.write(rpcId, answer).then(delivered, (error: unknown) => {
      const message = `an answer to the engine was not delivered: ${String(error)}`;
      this.#tell({ kind: 'notice', level: 'warning', message });
    });
  }
}
