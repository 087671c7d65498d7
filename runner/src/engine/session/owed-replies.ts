import type { EngineEvent } from '../agent-engine.ts';
import type { ServerAnswer } from '../json-rpc/rpc-client.ts';
import type { RpcId } from '../json-rpc/rpc-message.ts';

/** Stores answers that may not have reached the engine. */
export interface ReplyJournal {
  readonly repliesOwed: readonly { rpcId: RpcId; answer: ServerAnswer }[];
  replyOwed(rpcId: RpcId, answer: ServerAnswer): void;
  replySent(rpcId: RpcId): void;
}

/**
 * Answers to the engine's requests, stored until written, so that a crash leaves none unanswered.
 */
export class OwedReplies {
  readonly #journal: ReplyJournal;
  readonly #reply: (rpcId: RpcId, answer: ServerAnswer) => Promise<void>;
  readonly #tell: (event: EngineEvent) => void;

  constructor(
    journal: ReplyJournal,
    session: {
      reply: (rpcId: RpcId, answer: ServerAnswer) => Promise<void>;
      tell: (event: EngineEvent) => void;
    },
  ) {
    this.#journal = journal;
    this.#reply = session.reply;
    this.#tell = session.tell;
  }

  /** Sends the answers that a dead runner owed the engine. */
  sendAgain(): void {
    for (const { rpcId, answer } of this.#journal.repliesOwed) this.send(rpcId, answer);
  }

  send(rpcId: RpcId, answer: ServerAnswer): void {
    this.#journal.replyOwed(rpcId, answer);
    const deliver = async (): Promise<void> => {
      try {
        await this.#reply(rpcId, answer);
        this.#journal.replySent(rpcId);
      } catch (error) {
        const message = `an answer to the engine was not delivered: ${String(error)}`;
        this.#tell({ kind: 'notice', level: 'warning', message });
      }
    };
    void deliver();
  }
}
