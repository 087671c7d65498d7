import type { EngineEvent, Question } from '../agent-engine.ts';
import type { ServerAnswer } from '../json-rpc/rpc-client.ts';
import type { RpcId } from '../json-rpc/rpc-message.ts';
import type { OwedReplies } from './owed-replies.ts';
import type { OpenRequest, SessionJournal } from './session-journal.ts';

/** How a protocol writes the answers to an agent's questions. */
export type AnswerFormat = {
  /** The answers of people, by question id; an empty one means that nobody chose. */
  answered(request: OpenRequest, answers: Record<string, string[]>): ServerAnswer;
  /** For a question of a turn that ends; null: the engine needs none. */
  cancelled: ServerAnswer | null;
};

type To = { replies: OwedReplies; tell(event: EngineEvent): void };

/** The agent's unanswered questions, kept in the session's journal. */
export class OpenQuestions {
  readonly #journal: SessionJournal;
  readonly #format: AnswerFormat;
  readonly #to: To;
  /** Questions whose answer is being written. */
  readonly #answering = new Set<OpenRequest>();

  constructor(journal: SessionJournal, format: AnswerFormat, to: To) {
    this.#journal = journal;
    this.#format = format;
    this.#to = to;
  }

  /** Reports a question to people; one that is read again after it was closed is not asked again. */
  asked(
    rpcId: RpcId,
    asked: { turnId: string; questions: Question[]; fields?: OpenRequest['fields'] },
  ): void {
    const { turnId, questions, fields = [] } = asked;
    const requestId = `${turnId}.${rpcId}`;
    const request = { type: 'request', requestId, rpcId, turnId, fields } as const;
    if (this.#journal.requestOpened(request))
      this.#to.tell({ kind: 'request', requestId, turnId, questions });
  }

  /**
   * Answers a question; false for an unknown one. Rejects when the answer cannot be written, and
   * the question is then open again unless its turn has ended. Without answers it is closed at
   * once, since nobody would answer it again.
   */
  async answer(requestId: string, answers: Record<string, string[]>): Promise<boolean> {
    const request = this.#journal.requests.get(requestId);
    if (!request) return false;
    const answer = this.#format.answered(request, answers);
    if (Object.keys(answers).length === 0) {
      this.#close(request, answer);
      return true;
    }
    // Closed before the write, so that a concurrent second answer is refused.
    this.#journal.requestAnswered(request, answer);
    this.#answering.add(request);
    try {
      await this.#to.replies.write(request.rpcId, answer);
    } catch (error) {
      if (this.#answering.delete(request)) this.#journal.requestReopened(request);
      else this.#journal.replySent(request.rpcId);
      throw error;
    }
    if (this.#answering.delete(request)) this.#to.tell({ kind: 'request_resolved', requestId });
    return true;
  }

  /** Closes the questions of a turn that has ended or is about to. */
  turnEnds(turnId: string): void {
    this.#closeAll((request) => request.turnId === turnId, this.#format.cancelled);
  }

  /** Closes a question that the engine reports as resolved. */
  resolved(rpcId: RpcId): void {
    this.#closeAll((request) => request.rpcId === rpcId, null);
  }

  #closeAll(isMeant: (request: OpenRequest) => boolean, answer: ServerAnswer | null): void {
    for (const request of this.#journal.requests.values())
      if (isMeant(request)) this.#close(request, answer);
    for (const request of this.#answering) {
      if (!isMeant(request)) continue;
      this.#answering.delete(request);
      this.#to.tell({ kind: 'request_resolved', requestId: request.requestId });
    }
  }

  #close(request: OpenRequest, answer: ServerAnswer | null): void {
    // Owed before it is closed: a crash in between may answer it twice, but not leave it unanswered.
    if (answer !== null) this.#to.replies.send(request.rpcId, answer);
    this.#journal.requestClosed(request);
    this.#to.tell({ kind: 'request_resolved', requestId: request.requestId });
  }
}
