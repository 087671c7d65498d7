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

/** What an agent has asked people and nobody has answered yet; kept in the session's journal. */
export class OpenQuestions {
  readonly #journal: SessionJournal;
  readonly #to: To;

  constructor(journal: SessionJournal, to: To) {
    this.#journal = journal;
    this.#to = to;
  }

  /** Null when it is for people; else the answer that needs none. */
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

  /** Answers by question id; none: nobody chose. Unknown request: false. */
  async answer(requestId: string, answers: Record<string, string[]>): Promise<boolean> {
    const request = this.#journal.requests.get(requestId);
    if (!request) return false;
    const content = formContent(request.fields, answers);
    // Closed before the write, so that a second answer cannot slip in while it is under way.
    this.#journal.requestClosed(requestId);
    const answer = said(content === null ? { action: 'decline' } : { action: 'accept', content });
    await this.#to.reply(request.rpcId, answer);
    this.#to.tell({ kind: 'request_resolved', requestId });
    return true;
  }

  /** Questions of a turn that is over, or is to end, can no longer be answered. */
  turnEnds(turnId: string): void {
    for (const { requestId, rpcId, turnId: asking } of this.#journal.requests.values()) {
      if (asking !== turnId) continue;
      this.#journal.requestClosed(requestId);
      this.#to.tell({ kind: 'request_resolved', requestId });
      // An agent that is gone needs no answer.
      this.#to.reply(rpcId, said({ action: 'cancel' })).catch(() => undefined);
    }
  }
}
