import type { EngineEvent } from '../../agent-engine.ts';
import type { RpcId } from '../incoming-message.ts';
import type { ServerAnswer } from '../rpc.ts';
import type { SessionJournal } from './session-journal.ts';

/** Answers to the engine's requests, kept until written: a crash leaves no request unanswered. */
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

  /** What a dead runner owed the engine. */
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
