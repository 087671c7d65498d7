import type { AnswerOrder, FenceCode, SteerOrder } from '@switchyard/shared/protocol/messages';
import type { GivenBack } from '../connection/attempt-port.ts';
import type { AttemptFailed } from './attempt-end.ts';

/** Why an attempt must end before its work is done. */
export type StopOrder =
  /** Requested by a person or the control plane: ends as `cancelled`. */
  | { kind: 'cancel'; reason: string; graceMs: number }
  /**
   * The attempt exceeded a limit (time, disk, or waiting for the provider): ends as this failure.
   */
  | { kind: 'limit'; failure: AttemptFailed }
  /** This host releases the lease: ends as `released`. */
  | ({ kind: 'release' } & GivenBack)
  /** The lease is lost: nothing more may be reported, or only how the attempt ended. */
  | { kind: 'fence'; code: FenceCode; mayReport: boolean }
  | { kind: 'lease_expired' };

/** Thrown by a step when the attempt was requested to stop. */
export class Stopped extends Error {
  constructor() {
    super('the attempt was told to stop');
    this.name = 'Stopped';
  }
}

const FINAL: ReadonlySet<StopOrder['kind']> = new Set(['fence', 'lease_expired']);

/** Orders from outside for one attempt. Every order may arrive repeatedly and takes effect once. */
export class AttemptControl {
  readonly #abort = new AbortController();
  readonly #lost = new AbortController();
  #order: StopOrder | null = null;
  readonly #steers = new Map<string, SteerOrder>();
  readonly #answers = new Map<string, AnswerOrder>();
  readonly #done = new Set<string>();
  #session: ((kind: 'steer' | 'answer', id: string) => Promise<boolean>) | null = null;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborts only when the lease is lost: saving work may continue until then. */
  get lostSignal(): AbortSignal {
    return this.#lost.signal;
  }

  get order(): StopOrder | null {
    return this.#order;
  }

  /** Stops the attempt. The first order counts, except that a lost lease overrides any other. */
  stop(order: StopOrder): void {
    if (this.#order === null || (FINAL.has(order.kind) && !FINAL.has(this.#order.kind))) {
      this.#order = order;
    }
    this.#abort.abort();
    if (FINAL.has(order.kind)) this.#lost.abort();
  }

  /** Throws Stopped once the attempt was requested to stop. */
  check(): void {
    if (this.#abort.signal.aborted) throw new Stopped();
  }

  /** Waits for a slow promise; rejects with Stopped as soon as the attempt is stopped. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { signal } = this;
      if (signal.aborted) {
        // Nobody awaits it any more, and an unhandled rejection would end the runner.
        promise.catch(() => undefined);
        return reject(new Stopped());
      }
      const stopped = () => reject(new Stopped());
      signal.addEventListener('abort', stopped, { once: true });
      const end = () => signal.removeEventListener('abort', stopped);
      promise.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  /**
   * Resolves with true once the engine has the message; false when no turn accepts it now. Never
   * rejects.
   */
  steer(order: SteerOrder): Promise<boolean> {
    if (this.#done.has(order.messageId)) return Promise.resolve(true);
    this.#steers.set(order.messageId, order);
    return this.#session?.('steer', order.messageId) ?? Promise.resolve(false);
  }

  answer(order: AnswerOrder): void {
    if (this.#done.has(order.requestId)) return;
    this.#answers.set(order.requestId, order);
    void this.#session?.('answer', order.requestId);
  }

  /** Passes orders to the live session from now on; waiting ones are passed at once. */
  serve(session: {
    steer(order: SteerOrder): Promise<boolean>;
    answer(order: AnswerOrder): Promise<boolean>;
    failed(error: unknown): void;
  }): () => void {
    const hand = async (kind: 'steer' | 'answer', id: string): Promise<boolean> => {
      const waiting = kind === 'steer' ? this.#steers : this.#answers;
      const run = kind === 'steer' ? this.#runSteer(session, id) : this.#runAnswer(session, id);
      waiting.delete(id);
      try {
        return await run;
      } catch (error) {
        this.#done.delete(id);
        session.failed(error);
        return false;
      }
    };
    this.#session = hand;
    for (const id of this.#steers.keys()) void hand('steer', id);
    for (const id of this.#answers.keys()) void hand('answer', id);
    return () => {
      if (this.#session === hand) this.#session = null;
    };
  }

  /** False means "not now": the control plane repeats the order later. */
  async #runSteer(
    session: { steer(order: SteerOrder): Promise<boolean> },
    id: string,
  ): Promise<boolean> {
    const order = this.#steers.get(id);
    if (order === undefined) return false;
    this.#done.add(id);
    const taken = await session.steer(order);
    if (!taken) this.#done.delete(id);
    return taken;
  }

  async #runAnswer(
    session: { answer(order: AnswerOrder): Promise<boolean> },
    id: string,
  ): Promise<boolean> {
    const order = this.#answers.get(id);
    if (order === undefined) return false;
    this.#done.add(id);
    const taken = await session.answer(order);
    if (!taken) this.#done.delete(id);
    return taken;
  }
}
