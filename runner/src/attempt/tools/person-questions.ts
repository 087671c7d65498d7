import type { AbandonedCall } from '../../egress/tools/runner-call.ts';
import type { Clock } from '../../connection/clock.ts';
import type { EngineEvent, Question, ToolAnswer } from '../../engine/agent-engine.ts';
import { answerText, questionOf } from './ask-person.ts';

/** Time in which a client whose connection broke may repeat its call. */
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
  /** Cancels the wait for a client that may reconnect. */
  cancelReturn: () => void;
  /** Cancels the time limit for people, if it is kept here. */
  cancelExpiry: () => void;
};

/** What a question needs from its attempt. */
export type Asking = {
  clock: Clock;
  /** Time limit for people, milliseconds; 0: none. */
  requestMs: number;
  /** Adds an event to the engine's own. */
  tell: (event: EngineEvent) => void;
  /** Called when a question of a former process continues, so that the attempt's clocks pause. */
  opened: (requestId: string) => void;
  turnId: () => string;
};

/**
 * Questions that agents ask people through a tool; they become the same requests as those of other
 * engines.
 */
export class PersonQuestions {
  readonly #asking: Asking;
  readonly #open = new Map<string, Open>();

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** Waits for the answer. A repeated call has the same id, also in a later process. */
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
      else this.#emitRequest(requestId, question);
    });
  }

  /** Answers a question; false for an unknown or closed request. */
  answer(requestId: string, answers: Record<string, string[]>): boolean {
    return this.#close(requestId, answerText(answers));
  }

  /**
   * Nobody waits for the answer: closes the question at once if the client cancelled, else after a
   * moment.
   */
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

  /** The client has reconnected in time. */
  awaited(key: string): void {
    this.#open.get(requestIdOf(key))?.cancelReturn();
  }

  /** Closes the questions of a turn that is over. */
  turnEnded(): void {
    for (const requestId of this.#open.keys()) this.#close(requestId, TURN_OVER);
  }

  #emitRequest(requestId: string, question: Question): void {
    const turnId = this.#asking.turnId();
    this.#asking.tell({ kind: 'request', requestId, turnId, questions: [question] });
  }

  /**
   * Continues a question of a former process: its time limit continues, and the attempt's clocks
   * pause.
   */
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
