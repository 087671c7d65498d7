import type { AbandonedCall } from '../../egress/tools/runner-call.ts';
import type { Clock } from '../../connection/clock.ts';
import type { EngineEvent, Question, ToolAnswer } from '../../engine/agent-engine.ts';
import { answerText, questionOf } from './ask-person.ts';

/** A client whose connection broke may post its call again within this time. */
const RETURN_MS = 30_000;
const TURN_OVER: ToolAnswer = {
  success: false,
  text: 'The turn ended before anybody answered.',
};
const TAKEN_BACK: ToolAnswer = {
  success: false,
  text: 'Nobody waits for this answer any more. Ask again if it is still needed.',
};

type Open = {
  resolve: (answer: ToolAnswer) => void;
  /** Stops the clock of a client that may come back. */
  cancelReturn: () => void;
  /** Stops the clock of the people, where it is kept here. */
  cancelExpiry: () => void;
};

/** What a question needs of the attempt around it. */
export type Asking = {
  clock: Clock;
  /** How long people have; 0: no limit. */
  requestMs: number;
  /** Puts an event among the engine's own. */
  tell: (event: EngineEvent) => void;
  /** The attempt's clocks stand still while a person is asked. */
  opened: (requestId: string) => void;
  turnId: () => string;
};

/** Questions to people that agents ask by a tool; the same requests as those of other engines. */
export class PersonQuestions {
  readonly #asking: Asking;
  readonly #open = new Map<string, Open>();

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** Waits for the answer. The same call has the same id, also in a later process. */
  ask(call: {
    key: string;
    arguments: unknown;
    asked: boolean;
    begunAtMs: number;
  }): Promise<ToolAnswer> {
    const question = questionOf(call.arguments);
    if ('problem' in question) return Promise.resolve({ success: false, text: question.problem });
    const requestId = requestIdOf(call.key);
    return new Promise((resolve) => {
      const open: Open = { resolve, cancelReturn: () => undefined, cancelExpiry: () => undefined };
      this.#open.set(requestId, open);
      if (call.asked) this.#waitOn(requestId, open, call.begunAtMs);
      else this.#printStartReport(requestId, question);
    });
  }

  /** False for a request of somebody else's, or one that is closed. */
  answer(requestId: string, answers: Record<string, string[]>): boolean {
    return this.#close(requestId, answerText(answers));
  }

  /** Nobody waits for the answer: at once where the client said so, else after a moment. */
  abandoned({ key, cancelled }: Pick<AbandonedCall, 'key' | 'cancelled'>): void {
    const requestId = requestIdOf(key);
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    if (cancelled) this.#close(requestId, TAKEN_BACK);
    else {
      const { clock } = this.#asking;
      open.cancelReturn();
      open.cancelReturn = clock.after(RETURN_MS, () => this.#close(requestId, TAKEN_BACK));
    }
  }

  /** The client is back before its time was over. */
  awaited(key: string): void {
    this.#open.get(requestIdOf(key))?.cancelReturn();
  }

  /** Questions of a turn that is over can no longer be answered. */
  turnEnded(): void {
    for (const requestId of this.#open.keys()) this.#close(requestId, TURN_OVER);
  }

  #printStartReport(requestId: string, question: Question): void {
    const turnId = this.#asking.turnId();
    this.#asking.tell({ kind: 'request', requestId, turnId, questions: [question] });
  }

  /** A former process asked people; their time goes on, and the clocks of the attempt stand still. */
  #waitOn(requestId: string, open: Open, begunAtMs: number): void {
    const { clock, requestMs, opened } = this.#asking;
    opened(requestId);
    if (requestMs <= 0) return;
    const leftMs = Math.max(0, begunAtMs + requestMs - clock.nowMs());
    open.cancelExpiry = clock.after(leftMs, () => this.answer(requestId, {}));
  }

  #close(requestId: string, answer: ToolAnswer): boolean {
    const open = this.#open.get(requestId);
    if (open === undefined) return false;
    this.#open.delete(requestId);
    open.cancelReturn();
    open.cancelExpiry();
    this.#asking.tell({ kind: 'request_resolved', requestId });
    open.resolve(answer);
    return true;
  }
}

export function requestIdOf(key: string): string {
  return `ask-${key.slice(0, 32)}`;
}
