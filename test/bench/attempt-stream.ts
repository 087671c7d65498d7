import { FLUSH_EVENTS, FLUSH_MS, WINDOW_EVENTS } from '@switchyard/shared/protocol/limits';
import type { BenchLease, BenchRunner } from './bench-runner.ts';
import { eventItems } from './event-load.ts';

/** Events of one attempt on their way: full frames leave at once, others after the flush time. */
export class AttemptStream {
  readonly lease: BenchLease;
  readonly #runner: BenchRunner;
  readonly #inFlight: { lastSeq: number; sentAtMs: number }[] = [];
  /** From sending a frame to its acknowledgement, in the order of the frames. */
  readonly ackMs: number[] = [];
  #offered = 0;
  #sent = 0;
  #acked = 0;
  #flush: NodeJS.Timeout | null = null;
  #drained: (() => void) | null = null;

  constructor(runner: BenchRunner, lease: BenchLease) {
    this.#runner = runner;
    this.lease = lease;
  }

  get acked(): number {
    return this.#acked;
  }
  /** Events that were offered and are not acknowledged. */
  get backlog(): number {
    return this.#offered - this.#acked;
  }

  offer(events: number): void {
    this.#offered += events;
    this.#send(false);
    if (this.#flush === null && this.#sent < this.#offered) {
      this.#flush = setTimeout(() => {
        this.#flush = null;
        this.#send(true);
      }, FLUSH_MS);
    }
  }

  acknowledged(upto: number): void {
    if (upto < this.#acked) throw new Error('an acknowledgement went back');
    this.#acked = upto;
    const nowMs = performance.now();
    while (this.#inFlight[0] !== undefined && this.#inFlight[0].lastSeq <= upto) {
      this.ackMs.push(nowMs - (this.#inFlight.shift()?.sentAtMs ?? nowMs));
    }
    this.#send(this.#flush === null);
    if (this.backlog === 0) this.#drained?.();
  }

  /** Resolves once everything that was offered is acknowledged. */
  drained(): Promise<void> {
    if (this.backlog === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#drained = resolve));
  }

  #send(partial: boolean): void {
    for (;;) {
      const room = WINDOW_EVENTS - (this.#sent - this.#acked);
      const count = Math.min(FLUSH_EVENTS, room, this.#offered - this.#sent);
      if (count <= 0 || (count < FLUSH_EVENTS && !partial)) return;
      const { attemptId, epoch } = this.lease;
      const items = eventItems(this.#sent, count);
      this.#runner.send({ type: 'events', attemptId, epoch, from: this.#sent + 1, items });
      this.#sent += count;
      this.#inFlight.push({ lastSeq: this.#sent, sentAtMs: performance.now() });
    }
  }
}
