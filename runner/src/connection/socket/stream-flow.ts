import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';
import { FLUSH_BYTES, FLUSH_EVENTS } from '@switchyard/shared/protocol/limits';
import { type LeaseRef, leaseKey } from '../lease-ref.ts';
import type { Spool } from '../journal/spool.ts';

/** Limit on unacknowledged data over all attempts of a runner. */
const RUNNER_WINDOW_BYTES = 4 * 1_048_576;

export type Window = { events: number; bytes: number };
export type Batch = { ref: LeaseRef; from: number; items: AttemptEventItem[] };

type Sent = { lastSeq: number; events: number; bytes: number };
type Flow = { ref: LeaseRef; sentSeq: number; ackedSeq: number; inFlight: Sent[] };

/** Unacknowledged data of one session, within the credit of the control plane. */
export class StreamFlow {
  readonly #spool: Spool;
  readonly #window: Window;
  readonly #flows = new Map<string, Flow>();
  readonly #marks = new Map<string, number>();

  constructor(spool: Spool, window: Window) {
    this.#spool = spool;
    this.#window = window;
  }

  /** Starts an attempt's events after those that the control plane has. */
  open(ref: LeaseRef, ackedSeq: number): void {
    this.#spool.acknowledge(ref, ackedSeq);
    const stored = this.#spool.stream(ref)?.ackedSeq ?? 0;
    this.#flows.set(leaseKey(ref), { ref, sentSeq: stored, ackedSeq: stored, inFlight: [] });
  }

  close(ref: LeaseRef): void {
    this.#flows.delete(leaseKey(ref));
    this.#marks.delete(leaseKey(ref));
  }

  isOpen(ref: LeaseRef): boolean {
    return this.#flows.has(leaseKey(ref));
  }

  /** Whether all spooled events are committed by the control plane. */
  isDrained(ref: LeaseRef): boolean {
    const stream = this.#spool.stream(ref);
    return stream !== null && stream.ackedSeq === stream.spooledSeq;
  }

  /** Whether the control plane has events that this host lost in a power cut. */
  hasLost(ref: LeaseRef, storedSeq: number): boolean {
    const stream = this.#spool.stream(ref);
    return stream !== null && storedSeq > stream.spooledSeq;
  }

  /**
   * Handles an acknowledgement. One without progress while several batches are open means that an
   * earlier batch was lost and a later one refused: everything unacknowledged is sent again. With
   * one open batch it can only answer a repeated one.
   */
  acknowledged(ref: LeaseRef, upto: number): void {
    const flow = this.#flows.get(leaseKey(ref));
    this.#spool.acknowledge(ref, upto);
    if (flow === undefined) return;
    if (upto <= flow.ackedSeq) {
      if (flow.inFlight.length > 1) this.rewind(ref);
      return;
    }
    flow.ackedSeq = Math.min(upto, flow.sentSeq);
    flow.inFlight = flow.inFlight.filter((batch) => batch.lastSeq > upto);
  }

  /** Leases whose oldest unacknowledged batch was already open at the previous call. */
  stuck(): LeaseRef[] {
    const stuck: LeaseRef[] = [];
    for (const flow of this.#flows.values()) {
      const mark = this.#marks.get(leaseKey(flow.ref));
      if (flow.inFlight.length > 0 && mark === flow.ackedSeq) stuck.push(flow.ref);
      this.#marks.set(leaseKey(flow.ref), flow.inFlight.length > 0 ? flow.ackedSeq : -1);
    }
    return stuck;
  }

  /** Sends again from the last acknowledged event. */
  rewind(ref: LeaseRef): void {
    const flow = this.#flows.get(leaseKey(ref));
    if (flow === undefined) return;
    flow.sentSeq = flow.ackedSeq;
    flow.inFlight = [];
  }

  /** The next batch of each attempt that credit allows; call it until it is empty. */
  take(): Batch[] {
    const batches: Batch[] = [];
    let runnerBytes = 0;
    for (const flow of this.#flows.values()) runnerBytes += bytesOf(flow);
    for (const flow of this.#flows.values()) {
      const bytes = bytesOf(flow);
      const events = Math.min(FLUSH_EVENTS, this.#window.events - eventsOf(flow));
      const room = Math.min(
        FLUSH_BYTES,
        this.#window.bytes - bytes,
        RUNNER_WINDOW_BYTES - runnerBytes,
      );
      if (events < 1 || (room <= 0 && flow.inFlight.length > 0)) continue;
      const read = this.#spool.read(flow.ref, flow.sentSeq + 1, events, Math.max(room, 1));
      const first = read[0];
      if (first === undefined) continue;
      const sentBytes = read.reduce((sum, event) => sum + event.bytes, 0);
      flow.sentSeq += read.length;
      flow.inFlight.push({ lastSeq: flow.sentSeq, events: read.length, bytes: sentBytes });
      runnerBytes += sentBytes;
      batches.push({ ref: flow.ref, from: first.item.seq, items: read.map(({ item }) => item) });
    }
    return batches;
  }
}

function bytesOf(flow: Flow): number {
  return flow.inFlight.reduce((sum, batch) => sum + batch.bytes, 0);
}

function eventsOf(flow: Flow): number {
  return flow.inFlight.reduce((sum, batch) => sum + batch.events, 0);
}
