import type { CreateElicitationResponse } from '@agentclientprotocol/sdk';
import type { EngineEvent } from '../../agent-engine.ts';
import type { ServerAnswer } from '../../json-rpc/rpc-client.ts';
import type { RpcId } from '../../json-rpc/rpc-message.ts';
import { formContent, mapForm } from './map-form.ts';
import type { SessionJournal } from './session-journal.ts';

type To = {
  reply(rpcId: RpcId, answer: ServerAnswer): Promise<void>;
  tell(event: EngineEvent): void;
};

const said = (response: CreateElicitationResponse): ServerAnswer => ({ result: response });

/** The agent's unanswered questions, kept in the session's journal. */
export class OpenQuestions {
  readonly #journal: SessionJournal;
  readonly #to: To;

  constructor(journal: SessionJournal, to: To) {
    this.#journal = journal;
    this.#to = to;
  }

  /** Handles a form; null when it is for people, else the immediate answer. */
  asked(rpcId: RpcId, params: unknown, turnId: string | null): ServerAnswer | null {
    const form = mapForm(params);
    const { threadId } = this.#journal;
    const isOurs = form !== null && (form.sessionId === null || form.sessionId === threadId);
    if (form === null || !isOurs || turnId === null) return said({ action: 'decline' });
    if (form.questions.length === 0) return said({ action: 'accept', content: {} });
    const requestId = `${turnId}.${rpcId}`;
    const { questions, fields } = form;
    const isNew = this.#journal.requestOpened({
      type: 'request',
      requestId,
      rpcId,
      turnId,
      fields,
    });
    if (isNew) this.#to.tell({ kind: 'request', requestId, turnId, questions });
    return null;
  }

  /**
   * Answers by question id; an empty answer means that nobody chose. False for an unknown request.
   */
  async answer(requestId: string, answers: Record<string, string[]>): Promise<boolean> {
    const request = this.#journal.requests.get(requestId);
    if (!request) return false;
    const content = formContent(request.fields, answers);
    // Closed before the write, so that a concurrent second answer is refused.
    this.#journal.requestClosed(requestId);
    const answer = said(content === null ? { action: 'decline' } : { action: 'accept', content });
    await this.#to.reply(request.rpcId, answer);
    this.#to.tell({ kind: 'request_resolved', requestId });
    return true;
  }

  /** Closes the questions of a turn that has ended or is about to. */
  turnEnds(turnId: string): void {
    for (const { requestId, rpcId, turnId: asking } of this.#journal.requests.values()) {
      if (asking !== turnId) continue;
      this.#journal.requestClosed(requestId);
      this.#to.tell({ kind: 'request_resolved', requestId });
      // An agent that has ended needs no answer.
      this.#to.reply(rpcId, said({ action: 'cancel' })).catch(() => undefined);
    }
  }
}
