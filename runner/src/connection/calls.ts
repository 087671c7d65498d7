import { Calls } from '@switchyard/shared/protocol/calls';
import type { CallMethod, CallParams, CallValue } from '@switchyard/shared/protocol/calls';
import type { ControlPlaneMessageOf, RunnerMessage } from '@switchyard/shared/protocol/messages';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import type { Clock } from './clock.ts';
import type { LeaseRef } from './lease-ref.ts';

const MAX_RUNNING = 8;
const MAX_WAITING = 64;

/** A call that failed. `disconnected` and `timeout` may be retried. */
export class CallError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'CallError';
    this.code = code;
  }
}

/**
 * Answers calls of the control plane; `signal` aborts on their timeout or at the end of the
 * session.
 */
export type AnswerCall = (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>;

type Waiting = {
  method: CallMethod;
  done(value: unknown): void;
  failed(error: Error): void;
  cancel(): void;
};

/** Calls in both directions on one session, at most once: open ones fail when the session ends. */
export class CallTable {
  readonly #clock: Clock;
  readonly #answer: AnswerCall;
  readonly #waiting = new Map<string, Waiting>();
  readonly #running = new Set<AbortController>();
  #send: ((message: RunnerMessage) => void) | null = null;
  #counter = 0;

  constructor(clock: Clock, answer: AnswerCall) {
    this.#clock = clock;
    this.#answer = answer;
  }

  attach(send: (message: RunnerMessage) => void): void {
    this.#send = send;
  }

  /** Ends the session's calls: no answers will arrive, and none are awaited. */
  detach(): void {
    this.#send = null;
    for (const waiting of this.#waiting.values()) {
      waiting.failed(new CallError('disconnected', 'the connection to the control plane was lost'));
    }
    for (const running of this.#running) running.abort();
    this.#running.clear();
  }

  /** Calls the control plane. Rejects with CallError. */
  call<M extends CallMethod>(
    method: M,
    params: CallParams<M>,
    timeoutMs: number,
    ref?: LeaseRef,
  ): Promise<CallValue<M>> {
    const send = this.#send;
    if (send === null)
      return Promise.reject(new CallError('disconnected', 'not connected to the control plane'));
    if (this.#waiting.size >= MAX_WAITING)
      return Promise.reject(new CallError('busy', 'too many open calls'));
    this.#counter += 1;
    const callId = `call_r${this.#counter}`;
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(callId);
        cancel();
      };
      const failed = (error: Error) => {
        end();
        reject(error);
      };
      const cancel = this.#clock.after(timeoutMs, () =>
        failed(new CallError('timeout', `${method}: no answer within ${timeoutMs} ms`)),
      );
      const done = (value: unknown) => {
        const parsed = Calls[method].value.safeParse(value);
        if (!parsed.success)
          return failed(new CallError('malformed', `${method}: malformed answer`));
        end();
        resolve(parsed.data as CallValue<M>);
      };
      this.#waiting.set(callId, { method, done, failed, cancel });
      send({ type: 'call', callId, method, params, timeoutMs, ...ref });
    });
  }

  result(message: ControlPlaneMessageOf<'result'>): void {
    const waiting = this.#waiting.get(message.callId);
    if (waiting === undefined) return;
    if (message.ok) waiting.done(message.value);
    else
      waiting.failed(
        new CallError(message.error?.code ?? 'failed', message.error?.message ?? 'failed'),
      );
  }

  /** Performs a call of the control plane and sends the result on its session. */
  async serve(message: ControlPlaneMessageOf<'call'>): Promise<void> {
    const send = this.#send;
    if (send === null) return;
    const { callId } = message;
    const fail = (code: string, text: string) =>
      send({ type: 'result', callId, ok: false, error: { code, message: cutText(text, 4_000) } });
    if (this.#running.size >= MAX_RUNNING)
      return fail('busy', 'this runner answers too many calls already');
    const abort = new AbortController();
    this.#running.add(abort);
    const cancel = this.#clock.after(message.timeoutMs, () => abort.abort());
    try {
      const value = await this.#answer(message.method, message.params, abort.signal);
      if (this.#send === send) send({ type: 'result', callId, ok: true, value });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
      if (this.#send === send) fail(cutText(code, 64), messageOf(error));
    } finally {
      cancel();
      this.#running.delete(abort);
    }
  }
}
