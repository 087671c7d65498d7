import type { EngineEvent } from '../../agent-engine.ts';
import { mapQuestions } from './map-questions.ts';
import type { RpcId } from '../../json-rpc/rpc-message.ts';
import { ResolvedParams } from '../turn-params.ts';
import type { ServerAnswer } from '../../json-rpc/rpc-client.ts';
import type { SessionJournal } from './session-journal.ts';

type To = {
  reply: (rpcId: RpcId, answer: ServerAnswer) => Promise<void>;
  tell: (event: EngineEvent) => void;
};

/** The engine's unanswered questions, kept in the session's journal. */
export class OpenQuestions {
  readonly #journal: SessionJournal;
  readonly #to: To;

  constructor(journal: SessionJournal, to: To) {
    this.#journal = journal;
    this.#to = to;
  }

  /** Handles a question; false when the request has an unknown form. */
  asked(rpcId: RpcId, params: unknown): boolean {
    const asked = mapQuestions(params);
    if (asked === null) return false;
    const { turnId, questions } = asked;
    const requestId = `${turnId}.${rpcId}`;
    this.#journal.requestOpened({ type: 'request', requestId, rpcId, turnId });
    this.#to.tell({ kind: 'request', requestId, turnId, questions });
    return true;
  }

  /** Answers by question id. False for an unknown request. */
  async answer(requestId: string, answers: Record<string, string[]>): Promise<boolean> {
    const request = this.#journal.requests.get(requestId);
    if (!request) return false;
    const entries = Object.entries(answers).map(([id, given]) => [id, { answers: given }]);
    // Closed before the write, so that a concurrent second answer is refused.
    this.#journal.requestClosed(requestId);
    try {
      await this.#to.reply(request.rpcId, { result: { answers: Object.fromEntries(entries) } });
    } catch (error) {
      this.#journal.requestOpened(request);
      throw error;
    }
    this.#to.tell({ kind: 'request_resolved', requestId });
    return true;
  }

  /** Closes the questions of a turn that is over. */
  turnEnded(turnId: string): void {
    for (const request of this.#journal.requests.values()) {
      if (request.turnId === turnId) this.#close(request.requestId);
    }
  }

  /** Closes a question that the engine reports as resolved. */
  resolved(params: unknown): void {
    const parsed = ResolvedParams.safeParse(params);
    if (!parsed.success) return;
    const { requestId: rpcId } = parsed.data;
    const open = [...this.#journal.requests.values()].find((request) => request.rpcId === rpcId);
    if (open) this.#close(open.requestId);
  }

  #close(requestId: string): void {
    this.#journal.requestClosed(requestId);
    this.#to.tell({ kind: 'request_resolved', requestId });
  }
}
