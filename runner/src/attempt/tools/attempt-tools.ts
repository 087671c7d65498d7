import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { Clock } from '../../connection/clock.ts';
import type { LeaseRef } from '../../connection/lease-ref.ts';
import type { AbandonedCall, RunnerCall } from '../../egress/tools/runner-call.ts';
import type { ToolAnswer, ToolCall } from '../../engine/agent-engine.ts';
import { ASK_PERSON } from './ask-person.ts';
import type { PersonQuestions } from './person-questions.ts';
import type { ToolCallStore } from './tool-call-store.ts';

/** Concurrent calls of one attempt. */
const MAX_AT_ONCE = 4;
const NOT_HERE: ToolAnswer = { success: false, text: 'This tool is not available here.' };
const BUSY: ToolAnswer = {
  success: false,
  text: 'Too many calls of tools are under way. Wait for one of them to end and call again.',
};
const INTERRUPTED: ToolAnswer = {
  success: false,
  text: 'The call was interrupted. Whether it took effect is not known: look before you repeat it.',
};

/** The tools of one attempt as called through the proxy: each call is performed once. */
export class AttemptTools {
  readonly offered: readonly ToolSpec[];
  readonly #ref: LeaseRef;
  readonly #store: ToolCallStore;
  readonly #clock: Clock;
  readonly #callTool: (call: ToolCall) => Promise<ToolAnswer>;
  readonly #people: PersonQuestions;
  readonly #underWay = new Map<string, Promise<ToolAnswer>>();

  constructor(options: {
    ref: LeaseRef;
    offered: readonly ToolSpec[];
    store: ToolCallStore;
    clock: Clock;
    /** Performs a call at the control plane; a failure is a regular answer. */
    callTool: (call: ToolCall) => Promise<ToolAnswer>;
    people: PersonQuestions;
  }) {
    this.offered = options.offered;
    this.#ref = options.ref;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#callTool = options.callTool;
    this.#people = options.people;
  }

  /** Answers a call; one that is running or was answered is not performed again. Never rejects. */
  async call(call: RunnerCall): Promise<ToolAnswer> {
    const { key, tool } = call;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) {
      this.#people.awaited(key);
      return await underWay;
    }
    const stored = this.#store.find(this.#ref, key);
    if (stored !== null && stored.answer !== null) return stored.answer;
    if (stored !== null && stored.tool !== ASK_PERSON.name) return this.#end(key, INTERRUPTED);
    if (!this.offered.some(({ name }) => name === tool)) return NOT_HERE;
    if (this.#underWay.size >= MAX_AT_ONCE) return BUSY;
    const nowMs = this.#clock.nowMs();
    if (stored === null) this.#store.begin(this.#ref, key, tool, nowMs);
    const { asked, begunAtMs } = stored ?? { asked: false, begunAtMs: nowMs };
    const running = this.#perform(call, { asked, begunAtMs })
      .catch((error: unknown) => ({ success: false, text: `The call failed: ${String(error)}` }))
      .then((answer) => this.#end(key, answer))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, running);
    return await running;
  }

  /** The agent no longer waits for a call; what was started elsewhere continues. */
  abandoned(call: AbandonedCall): void {
    this.#people.abandoned(call);
  }

  #perform(call: RunnerCall, before: { asked: boolean; begunAtMs: number }): Promise<ToolAnswer> {
    const { key, tool, arguments: given } = call;
    if (tool !== ASK_PERSON.name) return this.#callTool({ tool, arguments: given });
    return this.#people.ask({ key, arguments: given, ...before });
  }

  #end(key: string, answer: ToolAnswer): ToolAnswer {
    const wellFormed = { ...answer, text: answer.text.toWellFormed() };
    this.#store.end(this.#ref, key, wellFormed, this.#clock.nowMs());
    return wellFormed;
  }
}
